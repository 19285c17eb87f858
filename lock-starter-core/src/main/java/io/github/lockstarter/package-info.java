/**
 * What users touch: the annotation, the registry, leases, requests, events and exceptions.
 *
 * <p>Everything else in this library hangs behind these types and may change without notice.
 */
@NullMarked
package io.github.lockstarter;

import org.jspecify.annotations.NullMarked;

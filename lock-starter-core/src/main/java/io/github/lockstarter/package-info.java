/**
 * The public API of distributed locks: the annotation, the registry, leases, requests, events and exceptions.
 *
 * <p>Everything else in this library is internal and may change without notice, except for the store SPI and the convention
 * of observations.
 */
@NullMarked
package io.github.lockstarter;

import org.jspecify.annotations.NullMarked;

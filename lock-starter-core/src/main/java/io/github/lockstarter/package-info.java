/**
 * The API of distributed locks: the annotation, the registry, leases, requests, events and exceptions.
 *
 * <p>All other packages are internal and may change in any release, except the store SPI in
 * {@code io.github.lockstarter.store} and the convention of observations in {@code io.github.lockstarter.metrics}.
 */
@NullMarked
package io.github.lockstarter;

import org.jspecify.annotations.NullMarked;

/**
 * Meters and observations of locks with Micrometer. {@link io.github.lockstarter.metrics.LockAcquisitionConvention},
 * its context and {@link io.github.lockstarter.metrics.LockObservation} are part of the API; everything else is
 * internal and may change in any release.
 */
@NullMarked
package io.github.lockstarter.metrics;

import org.jspecify.annotations.NullMarked;

package io.github.lockstarter.metrics;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Prevents the meter handler of Spring Boot from recording a second timer for each acquisition: {@link
 * MicrometerLockListener} records {@code distributed.lock.acquire} already, with less garbage. Spring Boot calls only
 * the first meter handler that supports an observation; this one does nothing.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class AcquisitionsAreTimed implements MeterObservationHandler<LockAcquisitionContext> {

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LockAcquisitionContext;
    }
}

package io.github.lockstarter.metrics;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Keeps the handler of Spring Boot from making a second timer of each acquisition: {@link MicrometerLockListener} records
 * {@code distributed.lock.acquire} already, without the garbage of an observation's meters. Of several handlers for
 * meters, Spring Boot asks only the first one that supports an observation; this one does nothing with it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class AcquisitionsAreTimed implements MeterObservationHandler<LockAcquisitionContext> {

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LockAcquisitionContext;
    }
}

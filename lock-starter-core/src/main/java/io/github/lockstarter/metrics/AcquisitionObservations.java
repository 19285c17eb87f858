package io.github.lockstarter.metrics;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.AcquireObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Creates an {@link LockObservation#ACQUISITION} for each acquisition, unless the registry has no handler. Thread-safe.
 * Exceptions of handlers, filters and predicates are logged and do not affect the lock.
 */
public final class AcquisitionObservations implements AcquireObserver {

    private static final LockAcquisitionConvention DEFAULT = new LockAcquisitionConvention() {};

    private final ObservationRegistry registry;

    private final @Nullable LockAcquisitionConvention convention;

    private final LockTags tags = new LockTags("observations");

    private final RecordingFailures failures =
            new RecordingFailures(AcquisitionObservations.class, "Observations of locks are incomplete");

    /**
     * Creates an observer.
     *
     * @param registry registry of the observations
     * @param convention names and key values of the observations; null: the convention of the registry, or else the
     *     default
     */
    public AcquisitionObservations(ObservationRegistry registry, @Nullable LockAcquisitionConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public Acquiring began(LockRequest request, String instance) {
        if (this.registry.isNoop()) {
            return Acquiring.UNOBSERVED;
        }
        try {
            LockAcquisitionContext context =
                    new LockAcquisitionContext(this.tags.of(request.name()), request, instance);
            Observation observation =
                    LockObservation.ACQUISITION.observation(this.convention, DEFAULT, () -> context, this.registry);
            if (observation.isNoop()) {
                return Acquiring.UNOBSERVED;
            }
            observation.start();
            return new ObservedAcquisition(observation, context, this.registry, this.failures);
        } catch (Throwable ex) {
            // Handlers, filters and predicates are foreign code, whose failure must not affect the lock.
            this.failures.add(request.name(), ex);
            return Acquiring.UNOBSERVED;
        }
    }
}

package io.github.lockstarter.metrics;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lease.AcquireObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/** Makes an {@link LockObservation#ACQUISITION} of each acquisition; costs nothing as long as no handler wants them. */
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
     * @param registry is told of the observations
     * @param convention what they are called and carry; null: that of the registry, otherwise the default
     */
    public AcquisitionObservations(ObservationRegistry registry, @Nullable LockAcquisitionConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public @Nullable Acquiring began(LockRequest request) {
        if (this.registry.isNoop()) {
            return null;
        }
        try {
            LockAcquisitionContext context = new LockAcquisitionContext(this.tags.of(request.name()), request);
            Observation observation =
                    LockObservation.ACQUISITION.observation(this.convention, DEFAULT, () -> context, this.registry);
            if (observation.isNoop()) {
                return null;
            }
            observation.start();
            return new ObservedAcquisition(observation, context, this.registry, this.failures);
        } catch (Throwable ex) {
            // Handlers, filters and predicates are anybody's; a lock must not suffer from them.
            this.failures.add(request.name(), ex);
            return null;
        }
    }
}

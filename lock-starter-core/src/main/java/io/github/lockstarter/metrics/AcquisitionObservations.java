package io.github.lockstarter.metrics;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.AcquireObserver;
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
     * @param convention names and key values of the observations, or {@code null} for the convention of the registry,
     *     or else the default
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
            return new Observed(observation, context);
        } catch (Throwable ex) {
            // Handlers, filters and predicates are foreign code, whose failure must not affect the lock.
            this.failures.add(request.name(), ex);
            return Acquiring.UNOBSERVED;
        }
    }

    /** The observation of one acquisition. Exceptions of handlers are logged and not thrown. */
    private final class Observed implements Acquiring {

        private final Observation observation;

        private final LockAcquisitionContext context;

        private Observation.@Nullable Scope scope;

        private Observation.@Nullable Scope outer;

        Observed(Observation observation, LockAcquisitionContext context) {
            this.observation = observation;
            this.context = context;
        }

        @Override
        public void enter() {
            this.outer = AcquisitionObservations.this.registry.getCurrentObservationScope();
            try {
                this.scope = this.observation.openScope();
            } catch (Throwable ex) {
                scopeFailed(ex);
            }
        }

        @Override
        public void leave() {
            Observation.Scope opened = this.scope;
            if (opened != null) {
                try {
                    opened.close();
                } catch (Throwable ex) {
                    scopeFailed(ex);
                }
            }
        }

        /**
         * Restores the outer scope: a half-open scope would become the parent of unrelated observations of this thread.
         */
        private void scopeFailed(Throwable ex) {
            AcquisitionObservations.this.registry.setCurrentObservationScope(this.outer);
            AcquisitionObservations.this.failures.add(this.context.getLock(), ex);
        }

        @Override
        public void granted(long fencingToken) {
            end(AcquireOutcome.ACQUIRED, fencingToken, null, null);
        }

        @Override
        public void notGranted(Outcome outcome, @Nullable Throwable cause, @Nullable LockHolder holder) {
            end(AcquireOutcome.of(outcome), 0, cause, holder);
        }

        private void end(
                AcquireOutcome outcome, long fencingToken, @Nullable Throwable cause, @Nullable LockHolder holder) {
            try {
                this.context.end(outcome, fencingToken, holder);
                if (cause != null) {
                    this.observation.error(cause);
                }
                this.observation.stop();
            } catch (Throwable ex) {
                AcquisitionObservations.this.failures.add(this.context.getLock(), ex);
            }
        }
    }
}

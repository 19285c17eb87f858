package io.github.lockstarter.metrics;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.engine.AcquireObserver.Acquiring;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/** The observation of one acquisition. Exceptions of handlers are logged and not thrown. */
final class ObservedAcquisition implements Acquiring {

    private final Observation observation;

    private final LockAcquisitionContext context;

    private final ObservationRegistry registry;

    private final RecordingFailures failures;

    private Observation.@Nullable Scope scope;

    private Observation.@Nullable Scope outer;

    ObservedAcquisition(
            Observation observation,
            LockAcquisitionContext context,
            ObservationRegistry registry,
            RecordingFailures failures) {
        this.observation = observation;
        this.context = context;
        this.registry = registry;
        this.failures = failures;
    }

    @Override
    public void enter() {
        this.outer = this.registry.getCurrentObservationScope();
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

    /** Restores the outer scope: a half-open scope would become the parent of unrelated observations of this thread. */
    private void scopeFailed(Throwable ex) {
        this.registry.setCurrentObservationScope(this.outer);
        this.failures.add(this.context.getLock(), ex);
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
            this.failures.add(this.context.getLock(), ex);
        }
    }
}

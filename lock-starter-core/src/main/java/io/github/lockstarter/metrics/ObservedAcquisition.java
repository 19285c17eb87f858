package io.github.lockstarter.metrics;

import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.lease.AcquireObserver.Acquiring;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/** One acquisition as an observation. Whatever handlers throw ends here. */
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

    /** A scope that is half open or half closed would be the parent of whatever this thread does next. */
    private void scopeFailed(Throwable ex) {
        this.registry.setCurrentObservationScope(this.outer);
        this.failures.add(this.context.getLock(), ex);
    }

    @Override
    public void granted(long fencingToken) {
        end(AcquireOutcome.ACQUIRED, fencingToken, null);
    }

    @Override
    public void notGranted(Outcome outcome, @Nullable Throwable cause) {
        end(AcquireOutcome.of(outcome), 0, cause);
    }

    private void end(AcquireOutcome outcome, long fencingToken, @Nullable Throwable cause) {
        try {
            this.context.end(outcome, fencingToken);
            if (cause != null) {
                this.observation.error(cause);
            }
            this.observation.stop();
        } catch (Throwable ex) {
            this.failures.add(this.context.getLock(), ex);
        }
    }
}

package io.github.lockstarter.history;

import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockReleasedEvent.Outcome;

/** Writes down what owners are not told. */
final class HistoryListener implements LockListener {

    private final HistoryLog log;

    HistoryListener(HistoryLog log) {
        this.log = log;
    }

    @Override
    public void acquired(LockAcquiredEvent event) {
        this.log.now(EventKind.NAMED, event.lockName(), 0, event.fencingToken(), 0, event.acquisitionId());
    }

    @Override
    public void atRisk(LockAtRiskEvent event) {
        this.log.now(EventKind.AT_RISK, event.lockName(), 0, event.fencingToken(), 0, "");
    }

    @Override
    public void released(LockReleasedEvent event) {
        if (event.outcome() == Outcome.ERROR) {
            this.log.now(EventKind.RELEASE_UNKNOWN, event.lockName(), 0, event.fencingToken(), 0, "");
        }
    }
}

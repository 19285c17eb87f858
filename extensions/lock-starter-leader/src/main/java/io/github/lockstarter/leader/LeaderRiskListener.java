package io.github.lockstarter.leader;

import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockListener;
import org.springframework.beans.factory.ObjectProvider;

/** Passes the risks of the locks of roles on. Has a provider, because the registry of the locks needs this listener. */
final class LeaderRiskListener implements LockListener {

    private final ObjectProvider<LeaderElections> elections;

    LeaderRiskListener(ObjectProvider<LeaderElections> elections) {
        this.elections = elections;
    }

    @Override
    public void atRisk(LockAtRiskEvent event) {
        if (event.lockName().startsWith(LeaderProperties.LOCK_PREFIX)) {
            this.elections.ifAvailable(all -> all.ofLock(event.lockName())
                    .ifPresent(runner -> runner.atRisk(event.fencingToken(), event.remaining())));
        }
    }
}

package io.github.lockstarter.lease;

import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockHealth.Status;
import io.github.lockstarter.lease.grant.CheckSchedule;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.support.InFlightCounter;
import io.github.lockstarter.lease.support.StopSignal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reports the health of one run of a registry: whether it accepts acquisitions, the store answers and renewals are in time. */
final class HealthReport {

    private final Inventory inventory;

    private final StoreProbe probe;

    private final CheckSchedule checks;

    private final Losses losses;

    private final InFlightCounter waiting;

    private final StopSignal stop;

    private final Duration renewInterval;

    HealthReport(
            Inventory inventory,
            StoreProbe probe,
            CheckSchedule checks,
            Losses losses,
            InFlightCounter waiting,
            StopSignal stop,
            Duration renewInterval) {
        this.inventory = inventory;
        this.probe = probe;
        this.checks = checks;
        this.losses = losses;
        this.waiting = waiting;
        this.stop = stop;
        this.renewInterval = renewInterval;
    }

    LockHealth now() {
        Inventory.Count held = this.inventory.count();
        StoreProbe.Result store = this.probe.check();
        Duration sinceAnswer = this.probe.sinceAnswer();
        if (store == null && sinceAnswer != null) {
            // The first answer has arrived since then.
            store = this.probe.check();
        }
        Duration lag = this.checks.lag();
        String problem = problem(store, lag);
        Status status = problem != null ? Status.DOWN : store == null ? Status.UNKNOWN : Status.UP;
        return new LockHealth(
                status,
                status == Status.UNKNOWN ? "The store has been asked, and has not answered yet." : problem,
                this.probe.description(),
                sinceAnswer,
                held.live(),
                held.atRisk(),
                this.waiting.count(),
                lag,
                this.losses.count(),
                this.losses.last());
    }

    private @Nullable String problem(StoreProbe.@Nullable Result store, Duration lag) {
        if (this.stop.isStopping()) {
            return "The lock registry has been stopped.";
        }
        if (store != null && store.failure() != null) {
            return "The store does not answer: " + store.failure().getMessage();
        }
        // Later than that, a renewal has no time left for a second attempt.
        return lag.compareTo(this.renewInterval) > 0
                ? "The watchdog is " + lag.toMillis() + " ms late: leases are not renewed in time."
                : null;
    }
}

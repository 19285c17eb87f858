package io.github.lockstarter.lease;

import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockHealth.Status;
import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What there is to see of one run of a registry. Walks the local queues: who holds a lock is the first of one. */
final class Inventory {

    private final LockEngine engine;

    private final StoreProbe probe;

    Inventory(LockEngine engine) {
        this.engine = engine;
        this.probe = new StoreProbe(engine);
    }

    List<Held> held() {
        List<Held> all = new ArrayList<>();
        this.engine.queues().forEach(turn -> {
            Held held = heldBy(turn);
            if (held != null) {
                all.add(held);
            }
        });
        return all;
    }

    @Nullable
    Held held(String lockName) {
        Turn first = this.engine.queues().first(lockName);
        return first != null ? heldBy(first) : null;
    }

    /** Whether this JVM holds the lock. */
    boolean isHeld(String lockName) {
        Turn first = this.engine.queues().first(lockName);
        return first != null && liveGrant(first) != null;
    }

    List<Awaited> awaited() {
        List<Awaited> all = new ArrayList<>();
        this.engine.queues().forEach(turn -> {
            // Most locks have a holder and nobody else.
            Awaited awaited = turn.isLast() && !waitsAsFirst(turn) ? null : awaited(turn.lockName());
            if (awaited != null) {
                all.add(awaited);
            }
        });
        return all;
    }

    @Nullable
    Awaited awaited(String lockName) {
        return this.engine.queues().look(lockName, this::awaitedIn);
    }

    LockHealth health() {
        int[] held = new int[2];
        this.engine.queues().forEach(turn -> {
            Grant grant = liveGrant(turn);
            if (grant != null) {
                held[0]++;
                held[1] += grant.standing() == Standing.AT_RISK ? 1 : 0;
            }
        });
        StoreProbe.Result store = this.probe.look();
        Duration lag = this.engine.watchdog().lag();
        String problem = problem(store, lag);
        Status status = problem != null ? Status.DOWN : store == null ? Status.UNKNOWN : Status.UP;
        Losses losses = this.engine.losses();
        return new LockHealth(
                status,
                status == Status.UNKNOWN ? "The store has been asked, and has not answered yet." : problem,
                this.engine.store().description(),
                this.probe.sinceAnswer(),
                held[0],
                held[1],
                this.engine.waiting().count(),
                lag,
                losses.count(),
                losses.last());
    }

    private @Nullable String problem(StoreProbe.@Nullable Result store, Duration lag) {
        if (!this.engine.isAccepting()) {
            return "The lock registry has been stopped.";
        }
        if (store != null && store.failure() != null) {
            return "The store does not answer: " + store.failure().getMessage();
        }
        // Later than that, a renewal has no time left for a second attempt.
        return lag.compareTo(this.engine.settings().renewInterval()) > 0
                ? "The watchdog is " + lag.toMillis() + " ms late: leases are not renewed in time."
                : null;
    }

    private @Nullable Held heldBy(Turn turn) {
        Grant grant = liveGrant(turn);
        if (grant == null) {
            return null;
        }
        LeaseClock clock = this.engine.clock();
        long now = clock.nanoTime();
        Thread owner = grant.owner();
        return new Held(
                grant.lockName(),
                grant.fencingToken(),
                grant.standing().state(),
                millis(now - grant.grantedAt()),
                millis(grant.remaining(clock)),
                grant.wantsRenewal(now),
                grant.renewals(),
                owner != null ? nameOf(owner) : null);
    }

    /** What that one holds; reading is looking, as with a lease. */
    private @Nullable Grant liveGrant(Turn turn) {
        Grant grant = turn.grant();
        if (grant == null) {
            return null;
        }
        this.engine.losses().check(grant);
        return grant.isLive() ? grant : null;
    }

    private @Nullable Awaited awaitedIn(Turn first) {
        ArrayDeque<Turn> behind = first.behind();
        Turn second = behind != null ? behind.peek() : null;
        boolean firstWaits = waitsAsFirst(first);
        Turn longest = firstWaits ? first : second;
        Acquisition acquisition = longest != null ? longest.acquisition() : null;
        if (acquisition == null) {
            return null;
        }
        int count = (behind != null ? behind.size() : 0) + (firstWaits ? 1 : 0);
        long waited = this.engine.clock().nanoTime() - acquisition.startedAt();
        return new Awaited(first.lockName(), count, millis(waited));
    }

    /** Virtual threads have no name unless they are given one; by their number, thread dumps know all of them. */
    private static String nameOf(Thread owner) {
        return owner.getName().isEmpty() ? "#" + owner.getId() : owner.getName();
    }

    private static Duration millis(long nanos) {
        return Duration.ofMillis(Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }

    private static boolean waitsAsFirst(Turn first) {
        Acquisition acquisition = first.acquisition();
        return first.grant() == null && acquisition != null && acquisition.isWaiting();
    }
}

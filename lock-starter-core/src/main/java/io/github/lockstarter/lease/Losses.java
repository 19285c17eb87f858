package io.github.lockstarter.lease;

import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LossReason;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Declares grants lost, once each, and does what has to be done at that moment. */
final class Losses {

    private final LeaseClock clock;

    private final DueQueue<Grant> watched;

    private final LeaseEvents events;

    private final Census live;

    private final LocalQueues queues;

    /** Hooks of the few grants that have any; they neither block nor throw. */
    private final ConcurrentMap<Grant, Set<Consumer<LossReason>>> hooks = new ConcurrentHashMap<>();

    private final AtomicLong count = new AtomicLong();

    private volatile LockHealth.@Nullable Loss last;

    private volatile boolean givenUp;

    Losses(LeaseClock clock, DueQueue<Grant> watched, LeaseEvents events, Census live, LocalQueues queues) {
        this.clock = clock;
        this.watched = watched;
        this.events = events;
        this.live = live;
        this.queues = queues;
    }

    /** Declares a live grant lost; whoever comes second does nothing. */
    void declare(Grant grant, LossReason reason) {
        if (this.events.lost(grant, reason, () -> grant.lose(reason))) {
            this.watched.remove(grant);
            this.live.ended();
            tell(grant, reason);
            // Others in this JVM need not wait until the owner finds time to release what it does not have.
            this.queues.leave(grant.turn());
        }
    }

    /** Declares lost what the release found to be not ours any more. */
    void declareInRelease(Grant grant, LossReason reason) {
        if (this.events.lost(grant, reason, () -> grant.loseInRelease(reason))) {
            tell(grant, reason);
        }
    }

    /** Declares the grant lost if it is live and its time has passed. Anybody may ask, at any time. */
    void check(Grant grant) {
        if (!grant.standing().isLive()) {
            return;
        }
        if (grant.hasEnded(this.clock)) {
            declare(grant, grant.reasonOfEnd(this.clock.nanoTime()));
        } else if (this.givenUp) {
            declare(grant, LossReason.SHUTDOWN);
        }
    }

    /** From now on whatever is still live is lost when it is looked at: nobody renews it any more. */
    void giveUpAll() {
        this.givenUp = true;
    }

    boolean hasGivenUp() {
        return this.givenUp;
    }

    /** How many grants were lost. */
    long count() {
        return this.count.get();
    }

    /** The last of them; null: none. */
    LockHealth.@Nullable Loss last() {
        return this.last;
    }

    private void tell(Grant grant, LossReason reason) {
        this.count.incrementAndGet();
        this.last = new LockHealth.Loss(
                grant.request().name(), reason, Instant.ofEpochMilli(this.clock.currentTimeMillis()));
        Set<Consumer<LossReason>> all = this.hooks.remove(grant);
        if (all != null) {
            all.forEach(hook -> hook.accept(reason));
        }
    }

    /** Calls the hook when the grant is lost; at once if it is lost already, never if it was released. */
    void onLoss(Grant grant, Consumer<LossReason> hook) {
        this.hooks.compute(grant, (key, present) -> {
            Set<Consumer<LossReason>> all = present != null ? present : ConcurrentHashMap.newKeySet();
            all.add(hook);
            return all;
        });
        Standing standing = grant.standing();
        LossReason reason = standing.lossReason();
        // A release under way may yet find that the lock is gone, so that its hooks stay.
        if ((reason != null || standing == Standing.RELEASED) && forget(grant, hook) && reason != null) {
            hook.accept(reason);
        }
    }

    /** Takes a hook back; false if it has been called, or is about to be. */
    boolean forget(Grant grant, Consumer<LossReason> hook) {
        Set<Consumer<LossReason>> all = this.hooks.get(grant);
        boolean removed = all != null && all.remove(hook);
        this.hooks.computeIfPresent(grant, (key, present) -> present.isEmpty() ? null : present);
        return removed;
    }

    /** The grant ended without a loss. */
    void forget(Grant grant) {
        if (!this.hooks.isEmpty()) {
            this.hooks.remove(grant);
        }
    }
}

package io.github.lockstarter.lease;

import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.LockReleasedEvent.Outcome;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Gives a lease to the next who waits in this JVM, as it is and without the store: the same acquisition id, the same end,
 * the next fencing token.
 */
final class HandOver {

    private final LockEngine engine;

    private final long maxNanos;

    private final int maxCount;

    /** With less left it goes through the store, which makes it whole again. */
    private final long enoughNanos;

    HandOver(LockEngine engine) {
        this.engine = engine;
        this.maxNanos = engine.settings().handOff().maxTime().toNanos();
        this.maxCount = engine.settings().handOff().maxCount();
        this.enoughNanos = engine.settings().watchdogTimeout().toNanos() / 2;
    }

    /**
     * Whether that grant may be handed over: renewed and healthy, with enough time left, within the budget. There are
     * never more passes than microseconds since the store's answer, for the store's next token is at least its time then.
     */
    boolean isPossible(Grant grant) {
        if (grant.turn().isLast() || grant.standing() != Standing.HELD || grant.renewal() != null) {
            return false;
        }
        long since = this.engine.clock().nanoTime() - grant.storeGrantedAt();
        return grant.renewUntil() != Grant.NOT_RENEWED
                && since < this.maxNanos
                && grant.passes() < Math.min(this.maxCount, TimeUnit.NANOSECONDS.toMicros(since))
                && isUsual(grant.remaining(this.engine.clock()))
                && !this.engine.hasGivenUp();
    }

    /** A lease that a nested hold has lengthened would outlive its next owner by as much if that one dies. */
    private boolean isUsual(long remaining) {
        return remaining > this.enoughNanos && remaining <= 2 * this.enoughNanos;
    }

    /** Hands over a grant whose release has begun; false if the next waiter wants another sort of lease, or there is none. */
    boolean pass(Grant grant) {
        Turn next = this.engine.queues().endFor(grant.turn(), HandOver::wantsRenewal);
        if (next == null) {
            return false;
        }
        Acquisition waiter = Objects.requireNonNull(next.acquisition());
        long now = this.engine.clock().nanoTime();
        Grant successor = new Grant(grant, waiter.request(), now, next, waiter.owner());
        successor.setRenewUntil(this.engine.renewUntil(waiter.request(), now));
        next.granted(successor);
        grant.endRelease();
        this.engine.losses().forget(grant);
        this.engine.events().released(grant, Outcome.RELEASED, null);
        this.engine.events().handedOver(successor, Kind.LOCAL);
        this.engine.events().acquired(successor, waiter.startedAt());
        this.engine.watchdog().watchInstead(grant, successor);
        next.complete(successor);
        return true;
    }

    private static boolean wantsRenewal(Turn turn) {
        Acquisition waiter = turn.acquisition();
        return waiter != null && waiter.wantsRenewal();
    }
}

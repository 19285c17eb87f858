package io.github.lockstarter.lease;

import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.LockStoreException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Makes grants of what the store answers, if there is still time to believe in them. */
final class Grants {

    private final LockEngine engine;

    Grants(LockEngine engine) {
        this.engine = engine;
    }

    /** The store has granted the lock to an acquisition that asked at that time. */
    Grant granted(Acquisition to, long fencingToken, Place place, Turn turn, long sentAt, long sentAtWall) {
        if (this.engine.hasGivenUp()) {
            // Nobody renews or releases any more, nor takes this one back: it runs out by itself.
            throw to.refusal();
        }
        Grant grant = make(to, fencingToken, place, turn, sentAt, sentAtWall);
        close(place, grant);
        if (grant.hasEnded(this.engine.clock())) {
            throw new LockStoreException(
                    "Lock '" + this.engine.names().of(grant.lockName())
                            + "' was granted, but the answer took longer than the lease of " + to.leaseMillis()
                            + " ms allows. Ask for a longer lease.",
                    null,
                    true,
                    true);
        }
        begin(grant, to, place.wasHandedOver() ? Kind.REMOTE : null, sentAt);
        return grant;
    }

    /**
     * Calls the next waiter with a grant that a release brought from the store for whoever waits; false if it does not suit.
     *
     * @param leaseMillis the lease that was asked for
     */
    boolean takeOver(
            Acquisition to, long leaseMillis, long fencingToken, Place place, Turn turn, long sentAt, long sentAtWall) {
        if (leaseMillis != to.leaseMillis() || this.engine.hasGivenUp()) {
            return false;
        }
        Grant grant = make(to, fencingToken, place, turn, sentAt, sentAtWall);
        if (grant.hasEnded(this.engine.clock())) {
            return false;
        }
        close(place, grant);
        begin(grant, to, Kind.LOCAL, sentAt);
        turn.complete(grant);
        return true;
    }

    private Grant make(Acquisition to, long fencingToken, Place place, Turn turn, long sentAt, long sentAtWall) {
        long now = this.engine.clock().nanoTime();
        Grant grant = new Grant(to.request(), place.acquisitionId(), fencingToken, now, turn, to.owner());
        grant.extend(sentAt, sentAtWall, to.leaseMillis());
        grant.setRenewUntil(this.engine.renewUntil(to.request(), now));
        return grant;
    }

    /**
     * Ends the place. What was sent for it and is not answered is noted only after that: a message could have a claim sent
     * off in between, which would take the lock for nothing if it were executed after the release.
     */
    private static void close(Place place, Grant grant) {
        place.close();
        long unanswered = place.unansweredMillis();
        if (unanswered > 0) {
            grant.setUnansweredUntil(grant.grantedAt() + TimeUnit.MILLISECONDS.toNanos(unanswered));
        }
    }

    private void begin(Grant grant, Acquisition to, @Nullable Kind handedOver, long sentAt) {
        this.engine.live().began();
        grant.turn().granted(grant);
        if (handedOver != null) {
            this.engine.events().handedOver(grant, handedOver);
        }
        this.engine.events().acquired(grant, to.startedAt());
        this.engine.watchdog().watch(grant, sentAt);
    }
}

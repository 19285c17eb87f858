package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.settings.ByName;
import io.github.lockstarter.lease.settings.HandOffLimits;
import io.github.lockstarter.lease.support.LeaseClock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The shared grants of this JVM, and the readers that join one of them without the store. Safe for use by several threads.
 *
 * <p>Implementation note. A reader may join as long as the admission window is open, which begins when the store has made
 * the grant. Nothing reopens it: a reader that comes later asks the store under a new id, and so stands in the line behind a
 * writer that waits. Otherwise a stream of readers would keep writers out for ever. A grant that could end before the
 * others of its group, because it has a fixed lease, a limit or a minimum hold, is not shared.
 */
public final class SharedGrants {

    /** Readers that may be joined, and until when. */
    private record Admission(SharedGrant first, long until) {}

    private final LeaseClock clock;

    private final GrantFactory grants;

    private final Losses losses;

    /** The time of hand-offs is the length of the admission window. */
    private final ByName<HandOffLimits> limits;

    private final ConcurrentMap<String, Admission> admissions = new ConcurrentHashMap<>();

    private final Set<SharedGrant> live = ConcurrentHashMap.newKeySet();

    public SharedGrants(LeaseClock clock, GrantFactory grants, Losses losses, ByName<HandOffLimits> limits) {
        this.clock = clock;
        this.grants = grants;
        this.losses = losses;
        this.limits = limits;
    }

    /** Notes a grant that the store has made and that has begun; other readers may join it from now on. */
    public void began(SharedGrant grant) {
        long window = this.limits.of(grant.request().name()).maxNanos();
        if (mayShare(grant.request()) && window > 0) {
            this.admissions.put(grant.lockName(), new Admission(grant, grant.grantedAt() + window));
        }
        continued(grant);
    }

    /**
     * Begins a grant that shares one of this JVM; null: there is none that may be joined, and the store must be asked.
     *
     * @param startedAt nanoseconds at which the acquisition began
     */
    @Nullable
    public SharedGrant join(LockRequest request, @Nullable Thread owner, long startedAt) {
        Admission admission = this.admissions.get(request.lockName());
        if (admission == null) {
            return null;
        }
        long now = this.clock.nanoTime();
        if (now - admission.until() >= 0) {
            this.admissions.remove(request.lockName(), admission);
            return null;
        }
        SharedGrant first = admission.first();
        // With less time left, the reader gets a grant of the store, which has a full lease.
        if (!mayShare(request)
                || first.remaining(this.clock) < this.limits.of(request.name()).enoughNanos()
                || this.losses.hasGivenUp()
                || !first.group().join()) {
            return null;
        }
        SharedGrant member = this.grants.member(first, request, owner);
        this.grants.count();
        this.live.add(member);
        this.grants.begin(member, null, startedAt, now);
        return member;
    }

    /** Notes a grant that was handed over in memory and has begun. */
    public void continued(SharedGrant grant) {
        this.live.add(grant);
        if (!grant.isLive()) {
            // It was lost in between.
            this.live.remove(grant);
        }
    }

    /** The limit of the settings is no reason for a grant of its own: each reader has renewals of its own, which end then. */
    private static boolean mayShare(LockRequest request) {
        return request.mode() == LockMode.READ
                && LeaseTerms.isRenewed(request)
                && (request.maxHold() == null || LockRequest.FOREVER.equals(request.maxHold()))
                && request.minHold().isZero();
    }

    /** Notes the end of a grant; returns whether it was the last one of its group, which releases it in the store. */
    public boolean ended(SharedGrant grant) {
        this.live.remove(grant);
        boolean last = grant.leaveGroup();
        if (last) {
            close(grant);
        }
        return last;
    }

    /**
     * Notes a loss, as {@link #ended} does: no reader joins that grant of the store any more. If the store does not have it,
     * the others of its group have lost it as well.
     */
    public boolean lost(SharedGrant grant, LossReason reason) {
        close(grant);
        boolean last = ended(grant);
        boolean isGone = reason == LossReason.DELETED || reason == LossReason.TAKEN_OVER;
        // Once for each group, because declaring a loss leads here again.
        if (isGone && grant.group().noteEnd()) {
            this.live.stream()
                    .filter(other -> other.group() == grant.group())
                    .toList()
                    .forEach(other -> this.losses.declare(other, reason));
        }
        return last;
    }

    private void close(SharedGrant grant) {
        grant.group().close();
        Admission admission = this.admissions.get(grant.lockName());
        if (admission != null && admission.first().group() == grant.group()) {
            this.admissions.remove(grant.lockName(), admission);
        }
    }

    /** Returns whether this JVM has a live shared grant of the lock; weakly consistent. */
    public boolean isHeld(String lockName) {
        for (SharedGrant grant : this.live) {
            if (grant.lockName().equals(lockName) && this.losses.isLive(grant)) {
                return true;
            }
        }
        return false;
    }

    /** Visits all shared grants; weakly consistent. */
    public void forEach(Consumer<SharedGrant> visitor) {
        this.live.forEach(visitor);
    }
}

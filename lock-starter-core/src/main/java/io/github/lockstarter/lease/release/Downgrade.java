package io.github.lockstarter.lease.release;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lease.grant.CheckSchedule;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.GrantFactory;
import io.github.lockstarter.lease.grant.SharedGrant;
import io.github.lockstarter.lease.grant.SharedGrants;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Turns the grant of a writer into that of a reader, without a moment in which another writer could get the lock. The reader
 * has the writer's fencing token, and readers of other JVMs that wait are granted the lock beside it.
 */
public final class Downgrade {

    private static final LockLog logger = LockLog.of(Downgrade.class);

    private final StoreDowngrade store;

    private final GrantFactory grants;

    private final SharedGrants shared;

    private final CheckSchedule checks;

    private final ReleaseOutcomes outcomes;

    private final Succession succession;

    private final LeaseHandles handles;

    private final LeaseClock clock;

    public Downgrade(
            StoreDowngrade store,
            GrantFactory grants,
            SharedGrants shared,
            CheckSchedule checks,
            ReleaseOutcomes outcomes,
            Succession succession,
            LeaseHandles handles,
            LeaseClock clock) {
        this.store = store;
        this.grants = grants;
        this.shared = shared;
        this.checks = checks;
        this.outcomes = outcomes;
        this.succession = succession;
        this.handles = handles;
        this.clock = clock;
    }

    /**
     * Downgrades the grant of the calling thread, and waits for the store for at most two command timeouts.
     *
     * @param writer the lease of the writer, which is released
     * @param request what the reader requests
     * @return the lease of the reader, which is lost if the writer's was. Without a reply of the store it has what is left of
     *     the writer's lease, and its first renewal shows whether the store knows the reader
     */
    public LeaseHandle of(LeaseHandle writer, LockRequest request) {
        Grant grant = writer.grant();
        if (!writer.isHeld() || !grant.beginRelease()) {
            boolean unused = writer.release();
            return writer;
        }
        this.checks.endChecks(grant);
        long startedAt = this.clock.nanoTime();
        SharedGrant reader = ask(grant, request);
        if (reader == null) {
            boolean unused = this.outcomes.answered(grant, ReleaseReply.TAKEN, false);
        } else {
            // Before the end of the writer: a stop waits until no grant is live.
            this.grants.count();
            this.outcomes.downgraded(grant);
            this.grants.begin(reader, null, startedAt, startedAt);
            if (reader.isConfirmed()) {
                this.shared.began(reader);
            } else {
                this.shared.continued(reader);
            }
        }
        this.succession.callNext(grant);
        return reader != null ? this.handles.ofThread(reader) : writer;
    }

    private @Nullable SharedGrant ask(Grant grant, LockRequest request) {
        try {
            return (SharedGrant) this.store.send(grant, request).orElse(null);
        } catch (RuntimeException | Error ex) {
            SharedGrant unproven = this.store.withoutReply(grant, request);
            // Until it is executed, the store has the writer, whose key then expires: its release could free the lock
            // too early.
            logger.warn("It is unknown whether lock '" + this.outcomes.shownName(grant)
                    + "' is held by a reader after its downgrade. The next renewal decides. " + ex.getMessage());
            return unproven;
        }
    }
}

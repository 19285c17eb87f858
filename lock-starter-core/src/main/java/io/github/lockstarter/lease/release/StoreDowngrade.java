package io.github.lockstarter.lease.release;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.GrantFactory;
import io.github.lockstarter.lease.grant.LeaseTerms;
import io.github.lockstarter.lease.grant.SharedGrant;
import io.github.lockstarter.lease.support.InterruptShield;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseReply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Asks the store to turn the grant of a writer into that of a reader. */
public final class StoreDowngrade {

    /** Time in which a broken connection may be there again. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final LeaseClock clock;

    private final LockStore store;

    private final LeaseTerms terms;

    private final GrantFactory grants;

    private final Duration commandTimeout;

    public StoreDowngrade(
            LeaseClock clock, LockStore store, LeaseTerms terms, GrantFactory grants, Duration commandTimeout) {
        this.clock = clock;
        this.store = store;
        this.terms = terms;
        this.grants = grants;
        this.commandTimeout = commandTimeout;
    }

    /**
     * Asks, and again if the reply is missing: for one command timeout, and once at least, so that a connection that has just
     * broken costs no lease. The call cannot be interrupted.
     *
     * @param request what the reader requests
     * @return the grant of the reader; empty: the writer does not own the lock any more
     * @throws LockStoreException if the store does not answer
     */
    Optional<Grant> send(Grant writer, LockRequest request) {
        try (InterruptShield shield = new InterruptShield()) {
            long startedAt = this.clock.nanoTime();
            boolean repeated = false;
            while (true) {
                try {
                    return ask(writer, request);
                } catch (LockStoreException ex) {
                    // An interrupt says nothing about the store.
                    if (!shield.caught()) {
                        boolean late = this.clock.nanoTime() - startedAt >= this.commandTimeout.toNanos();
                        if (repeated && (late || !ex.isTransient())) {
                            throw ex;
                        }
                        if (repeated) {
                            InterruptShield.await(new CompletableFuture<>(), PAUSE);
                        }
                        repeated = true;
                    }
                }
            }
        }
    }

    private Optional<Grant> ask(Grant writer, LockRequest request) {
        long sentAt = this.clock.nanoTime();
        long sentAtWall = this.clock.currentTimeMillis();
        long leaseMillis = this.terms.leaseMillis(request);
        String reader = GrantKind.readerOf(writer.acquisitionId());
        ReleaseReply reply =
                this.store.downgrade(writer.lockName(), writer.acquisitionId(), writer.fencingToken(), leaseMillis);
        long token = reply.fencingToken();
        if (reply.outcome() == ReleaseReply.Outcome.GRANTED_UNCONFIRMED) {
            // The store has to confirm the grant.
            sentAt = this.clock.nanoTime();
            sentAtWall = this.clock.currentTimeMillis();
            AcquireReply confirmed = this.store.acquire(writer.lockName(), reader, leaseMillis, false);
            token = confirmed instanceof AcquireReply.Granted granted ? granted.fencingToken() : 0;
        }
        return token > 0
                ? Optional.of(
                        this.grants.create(request, reader, token, leaseMillis, writer.owner(), sentAt, sentAtWall))
                : Optional.empty();
    }

    /**
     * Creates the grant of the reader without a reply of the store. It lasts for what is left of the writer's lease, in which
     * no other writer can own the lock, whether the command is executed or not.
     */
    SharedGrant withoutReply(Grant writer, LockRequest request) {
        SharedGrant reader = this.grants.reader(writer, GrantKind.readerOf(writer.acquisitionId()), request);
        // The command may be executed later than the release of the reader, which is repeated for as long.
        reader.setUnconfirmed();
        reader.setUnanswered(this.terms.leaseMillis(request));
        return reader;
    }
}

package io.github.lockstarter.lease.release;

import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.support.InterruptShield;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.lease.support.StoreFailures;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Successor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Releases grants through the store. The command contains the id under which this JVM asks next, if a waiter is in its
 * queue: so one round trip either grants the lock to that id or puts it at the end of the line.
 */
public final class StoreRelease {

    private final LockStore store;

    private final LockThreads threads;

    private final ReleaseOutcomes outcomes;

    private final Succession succession;

    private final LeaseClock clock;

    private final Duration commandTimeout;

    public StoreRelease(
            LockStore store,
            LockThreads threads,
            ReleaseOutcomes outcomes,
            Succession succession,
            LeaseClock clock,
            Duration commandTimeout) {
        this.store = store;
        this.threads = threads;
        this.outcomes = outcomes;
        this.succession = succession;
        this.clock = clock;
        this.commandTimeout = commandTimeout;
    }

    /** Releases and waits for the reply; returns false if the lock was lost. */
    boolean await(Grant grant) {
        return new Release(grant).await();
    }

    /**
     * Releases without waiting for the reply.
     *
     * @return completed with what {@link #await} would return, on a thread that must not be blocked
     */
    CompletionStage<Boolean> send(Grant grant) {
        return new Release(grant).send();
    }

    /** The release of one grant. */
    private final class Release {

        private final Grant grant;

        private final @Nullable QueueNode<Grant> node;

        private final @Nullable Successor successor;

        private final long sentAt;

        private final long sentAtWall;

        /** The ticket of the successor. */
        private final @Nullable LineTicket ticket;

        private boolean repeated;

        /** Completed when the ticket has left the line, if all that waited for it have given up meanwhile. */
        private CompletionStage<?> left = OrphanCleanup.NOTHING_TO_AWAIT;

        Release(Grant grant) {
            this.grant = grant;
            this.node = StoreRelease.this.succession.nodeOf(grant);
            this.successor = this.node != null ? StoreRelease.this.succession.prepare(this.node) : null;
            this.ticket = this.node != null && this.successor != null ? this.node.ticket() : null;
            this.sentAt = StoreRelease.this.clock.nanoTime();
            this.sentAtWall = StoreRelease.this.clock.currentTimeMillis();
        }

        boolean await() {
            try (InterruptShield shield = new InterruptShield()) {
                while (true) {
                    ReleaseReply reply;
                    try {
                        reply = StoreRelease.this.store.release(
                                this.grant.lockName(),
                                this.grant.acquisitionId(),
                                this.grant.fencingToken(),
                                this.successor);
                    } catch (RuntimeException | Error ex) {
                        if (shield.caught()) {
                            this.repeated = true;
                            continue;
                        }
                        failed(ex);
                        return true;
                    }
                    boolean ours = answered(reply);
                    // Otherwise the line could still have an entry of this JVM when the caller goes on.
                    InterruptShield.await(this.left, StoreRelease.this.commandTimeout);
                    return ours;
                }
            }
        }

        CompletionStage<Boolean> send() {
            CompletionStage<ReleaseReply> reply;
            try {
                reply = StoreRelease.this.store.releaseLater(
                        this.grant.lockName(), this.grant.acquisitionId(), this.grant.fencingToken(), this.successor);
            } catch (RuntimeException | Error ex) {
                failed(ex);
                return CompletableFuture.completedStage(true);
            }
            if (reply == null) {
                return StoreRelease.this.threads.release(this::await);
            }
            if (this.ticket == null) {
                // Commands of the next waiter are executed after the release.
                StoreRelease.this.succession.callNext(this.grant);
            }
            return reply.handle((answer, failure) -> {
                if (failure == null) {
                    return answered(answer);
                }
                failed(StoreFailures.unwrapped(failure));
                return true;
            });
        }

        private boolean answered(ReleaseReply reply) {
            boolean ours = StoreRelease.this.outcomes.answered(this.grant, reply, this.repeated);
            if (this.node == null || this.ticket == null || this.successor == null) {
                StoreRelease.this.succession.callNext(this.grant);
            } else {
                if (ours && !reply.isReleased()) {
                    this.ticket.unanswered(this.successor.leaseMillis());
                }
                this.left = StoreRelease.this.succession.callNext(
                        this.node, this.ticket, this.successor, reply, this.sentAt, this.sentAtWall);
            }
            return ours;
        }

        private void failed(Throwable failure) {
            StoreRelease.this.outcomes.unanswered(this.grant, failure);
            if (this.node == null || this.ticket == null || this.successor == null) {
                StoreRelease.this.succession.callNext(this.grant);
            } else {
                this.ticket.unanswered(this.successor.leaseMillis());
                CompletionStage<?> unused = StoreRelease.this.succession.passOn(this.node, this.ticket);
            }
        }
    }
}

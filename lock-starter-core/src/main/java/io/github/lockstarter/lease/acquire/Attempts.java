package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.holder.InstanceDirectory;
import io.github.lockstarter.lease.queue.Claim;
import io.github.lockstarter.lease.queue.ClaimLease;
import io.github.lockstarter.lease.queue.LineBase;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.support.InFlightCounter;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.StoreFailures;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.LockStore;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Asks the store for locks, and begins the grants that it gives. */
public final class Attempts {

    private final LeaseClock clock;

    private final LockStore store;

    private final StoreGrants grants;

    private final AcquireReports reports;

    private final ClaimLease claimLease;

    private final InstanceDirectory instances;

    private final BroughtGrants brought;

    private final SharedAdmission shared;

    private final InFlightCounter inFlight;

    public Attempts(
            LeaseClock clock,
            LockStore store,
            StoreGrants grants,
            AcquireReports reports,
            ClaimLease claimLease,
            InstanceDirectory instances,
            BroughtGrants brought,
            SharedAdmission shared,
            InFlightCounter inFlight) {
        this.clock = clock;
        this.store = store;
        this.grants = grants;
        this.reports = reports;
        this.claimLease = claimLease;
        this.instances = instances;
        this.brought = brought;
        this.shared = shared;
        this.inFlight = inFlight;
    }

    /** Lets a message end a wait. */
    void prepareWaiting() {
        this.store.prepareWaiting();
    }

    /** Asks and waits for the reply; returns null if the lock was not granted. */
    @Nullable
    Grant now(Acquisition acquisition, QueueNode<Grant> node) {
        this.inFlight.began();
        try {
            this.reports.ensureAccepting(acquisition);
            Attempt attempt = new Attempt(acquisition, node);
            if (!attempt.answered) {
                // In this frame, and not in a method of the attempt: stack traces of waits are short.
                try {
                    attempt.reply = this.store.acquire(
                            node.lockName(),
                            attempt.ticket.acquisitionId(),
                            acquisition.leaseMillis(),
                            acquisition.mayWait());
                } catch (RuntimeException ex) {
                    attempt.failure = ex;
                    attempt.interrupted = Thread.currentThread().isInterrupted();
                }
            }
            return attempt.conclude();
        } finally {
            this.inFlight.ended();
        }
    }

    /**
     * Asks, and returns before the reply is there if the store can do that. {@link Attempt#end} must follow.
     *
     * @param onReply called when the reply is there, at once or later, on a thread that must not be blocked
     */
    Attempt later(Acquisition acquisition, QueueNode<Grant> node, Runnable onReply) {
        this.inFlight.began();
        try {
            this.reports.ensureAccepting(acquisition);
            Attempt attempt = new Attempt(acquisition, node);
            attempt.send(onReply);
            return attempt;
        } catch (RuntimeException | Error ex) {
            this.inFlight.ended();
            throw ex;
        }
    }

    /**
     * One attempt, from the moment at which it is sent. Used by one thread at a time; only the reply may arrive on another
     * thread.
     */
    final class Attempt {

        private final Acquisition acquisition;

        private final QueueNode<Grant> node;

        private final LineTicket ticket;

        private long sentAt;

        private long sentAtWall;

        /** What has brought the grant without a command of this attempt; null: nothing. */
        private @Nullable Claim claim;

        private @Nullable AcquireReply reply;

        /** A grant that was handed over in memory before this attempt; null: there is none. */
        private @Nullable Grant offered;

        private @Nullable Throwable failure;

        /** Whether the thread that asked was interrupted, which says nothing about the store. */
        private boolean interrupted;

        /** Written last and read first, so that the reply is visible when this is. */
        private volatile boolean answered;

        private Attempt(Acquisition acquisition, QueueNode<Grant> node) {
            this.acquisition = acquisition;
            this.node = node;
            this.ticket = Objects.requireNonNull(node.ticket());
            this.offered = Attempts.this.shared.takeOffer(node, this.ticket, acquisition);
            if (this.offered != null) {
                this.answered = true;
                return;
            }
            Claim brought = Attempts.this.brought.take(this.ticket, acquisition.leaseMillis());
            if (brought != null) {
                // Sent and answered, or believed, before the waiter woke up.
                use(brought);
                this.reply = new AcquireReply.Granted(brought.fencingToken());
                this.answered = true;
            } else {
                this.sentAt = Attempts.this.clock.nanoTime();
                this.sentAtWall = Attempts.this.clock.currentTimeMillis();
                this.ticket.asking(this.sentAt);
            }
        }

        private void send(Runnable onReply) {
            if (this.answered) {
                onReply.run();
                return;
            }
            CompletionStage<AcquireReply> promised = Attempts.this.store.acquireLater(
                    this.node.lockName(),
                    this.ticket.acquisitionId(),
                    this.acquisition.leaseMillis(),
                    this.acquisition.mayWait());
            if (promised == null) {
                block();
                onReply.run();
                return;
            }
            CompletionStage<?> unused = promised.whenComplete((answer, thrown) -> {
                this.reply = answer;
                this.failure = thrown;
                this.answered = true;
                onReply.run();
            });
        }

        private void block() {
            try {
                this.reply = Attempts.this.store.acquire(
                        this.node.lockName(),
                        this.ticket.acquisitionId(),
                        this.acquisition.leaseMillis(),
                        this.acquisition.mayWait());
            } catch (RuntimeException ex) {
                this.failure = ex;
                this.interrupted = Thread.currentThread().isInterrupted();
            }
            this.answered = true;
        }

        boolean isAnswered() {
            return this.answered;
        }

        /** Returns the grant, or null if the lock was not granted. Called once, after the reply. */
        @Nullable
        Grant end() {
            try {
                return conclude();
            } finally {
                Attempts.this.inFlight.ended();
            }
        }

        private @Nullable Grant conclude() {
            if (this.offered != null) {
                return this.offered;
            }
            try {
                AcquireReply answer = this.reply;
                if (answer == null) {
                    throw StoreFailures.of(Attempts.this.reports.shownName(this.acquisition), this.failure);
                }
                this.ticket.answered(null);
                if (answer instanceof AcquireReply.Granted granted) {
                    return granted(granted.fencingToken());
                }
                return taken((AcquireReply.Taken) answer);
            } catch (LockStoreException ex) {
                failed(ex);
                return null;
            }
        }

        private @Nullable Grant taken(AcquireReply.Taken answer) {
            this.ticket.taken(this.acquisition.mayWait());
            Claim message = Attempts.this.brought.take(this.ticket, this.acquisition.leaseMillis());
            if (message != null && message.confirmation() != null) {
                // Granted after the command was executed.
                use(message);
                return granted(message.fencingToken());
            }
            Grant passed = Attempts.this.shared.takeOffer(this.node, this.ticket, this.acquisition);
            if (passed != null) {
                return passed;
            }
            this.acquisition.refused(answer);
            String owner = answer.owner();
            if (owner != null) {
                Attempts.this.instances.seen(owner);
            }
            if (answer.pollMillis() > 0) {
                // The command has written the entry of the ticket, so it was a master that refused.
                this.ticket.notOwner(
                        new LineBase(this.sentAt, this.sentAtWall, answer.fencingToken()), Attempts.this.claimLease);
            }
            return null;
        }

        private void use(Claim brought) {
            this.claim = brought;
            this.sentAt = brought.sentAt();
            this.sentAtWall = brought.sentAtWall();
        }

        private void failed(LockStoreException ex) {
            if (ex.isOutcomeUnknown()) {
                this.ticket.unanswered(this.acquisition.leaseMillis());
            }
            if (this.interrupted && ex.isOutcomeUnknown()) {
                this.ticket.interrupted();
                this.acquisition.interrupted();
            } else {
                this.ticket.answered(ex);
                Attempts.this.reports.attemptFailed(this.acquisition, ex);
            }
        }

        private Grant granted(long fencingToken) {
            return Attempts.this.grants.begin(
                    this.acquisition, this.node, this.ticket, this.claim, fencingToken, this.sentAt, this.sentAtWall);
        }
    }
}

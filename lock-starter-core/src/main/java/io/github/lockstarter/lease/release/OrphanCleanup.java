package io.github.lockstarter.lease.release;

import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.support.InFlightCounter;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Removes in the background what a call may have left in the store: a grant whose reply was lost, a release without a
 * reply, a ticket in the line. Acquisition ids are never used twice, so that a release can be repeated.
 *
 * <p>After an acquire command without a reply, the answer "not the owner" to a release proves nothing: the acquire may be
 * executed later, and would then take the lock or join the line although no caller waits. So the release is repeated until
 * the lease that the command may obtain would have expired.
 */
public final class OrphanCleanup {

    private static final LockLog logger = LockLog.of(OrphanCleanup.class);

    /** A stage that is complete, for what needs no clean-up. */
    public static final CompletionStage<?> NOTHING_TO_AWAIT = CompletableFuture.completedFuture(null);

    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(5);

    private final LeaseClock clock;

    private final LockStore store;

    private final LockThreads threads;

    private final LoggedNames names;

    /** Releases without a reply. */
    private final InFlightCounter open = new InFlightCounter();

    public OrphanCleanup(LeaseClock clock, LockStore store, LockThreads threads, LoggedNames names) {
        this.clock = clock;
        this.store = store;
        this.threads = threads;
        this.names = names;
    }

    /** Waits for the replies to releases that have been sent. */
    public void awaitAnswers(Duration atMost) {
        boolean unused = this.open.awaitNone(atMost);
    }

    /** Releases a grant; the first reply is final unless an attempt of its acquisition has no reply. */
    public void ofGrant(Grant grant) {
        // The renewal that confirms a grant may have been executed although its reply is missing.
        long ends = grant.isConfirmed() ? grant.validUntil() : grant.validUntil() + confirmedNanos(grant);
        long until = Math.max(this.clock.nanoTime(), ends) + LONGEST_PAUSE;
        boolean unanswered = grant.unansweredMillis(this.clock.nanoTime()) > 0;
        this.threads.cleanUp(
                new Task(grant.lockName(), grant.acquisitionId(), grant.fencingToken(), until, unanswered));
    }

    private static long confirmedNanos(Grant grant) {
        Renewal confirmation = grant.confirmation();
        return confirmation != null ? TimeUnit.MILLISECONDS.toNanos(confirmation.leaseMillis()) : 0;
    }

    /**
     * Removes a ticket from the line, and releases what may have been granted to it.
     *
     * @return completed with the reply to the first attempt, or with its failure; never exceptionally, and on a thread that
     *     must not be blocked
     */
    CompletionStage<?> ofTicket(String lockName, LineTicket ticket) {
        long unanswered = ticket.close();
        long atMost = unanswered > 0 ? TimeUnit.MILLISECONDS.toNanos(unanswered) : LONGEST_PAUSE;
        return new Task(lockName, ticket.acquisitionId(), 0, this.clock.nanoTime() + atMost, unanswered > 0).start();
    }

    /** Releases what an attempt without a reply may obtain after the end of its grant; does nothing if there is none. */
    void ofUnanswered(Grant grant) {
        long now = this.clock.nanoTime();
        long left = grant.unansweredMillis(now);
        if (left > 0) {
            long until = now + TimeUnit.MILLISECONDS.toNanos(left);
            this.threads.cleanUp(new Task(grant.lockName(), grant.acquisitionId(), 0, until, true));
        }
    }

    private final class Task implements Runnable {

        private final String lockName;

        private final String acquisitionId;

        private final long lastToken;

        private final long until;

        private final boolean unanswered;

        private long pause = FIRST_PAUSE;

        Task(String lockName, String acquisitionId, long lastToken, long until, boolean unanswered) {
            this.lockName = lockName;
            this.acquisitionId = acquisitionId;
            this.lastToken = lastToken;
            this.until = until;
            this.unanswered = unanswered;
        }

        /** Sends the release at once if the store can do that without blocking, otherwise on a clean-up thread. */
        CompletionStage<?> start() {
            CompletionStage<ReleaseReply> sent = send();
            if (sent != null) {
                return settle(sent);
            }
            CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
            boolean accepted = OrphanCleanup.this.threads.cleanUp(() -> {
                run();
                done.complete(null);
            });
            if (!accepted) {
                done.complete(null);
            }
            return done;
        }

        @Override
        public void run() {
            CompletionStage<ReleaseReply> sent = send();
            CompletionStage<?> unused = settle(sent != null ? sent : await());
        }

        private CompletionStage<?> settle(CompletionStage<ReleaseReply> sent) {
            OrphanCleanup.this.open.began();
            return sent.handle((reply, failure) -> {
                if (logger.isDebugEnabled()) {
                    String shown = OrphanCleanup.this.names.of(this.lockName);
                    logger.debug("Background release of lock '" + shown + "': " + reply, failure);
                }
                boolean settled = failure == null && !this.unanswered;
                if (!settled && OrphanCleanup.this.clock.nanoTime() - this.until < 0) {
                    OrphanCleanup.this.threads.cleanUpLater(this, nextPause());
                }
                OrphanCleanup.this.open.ended();
                return reply;
            });
        }

        /** Sends without waiting for the reply: a shard that is silent must not delay the clean-up of others. */
        private @Nullable CompletionStage<ReleaseReply> send() {
            try {
                return OrphanCleanup.this.store.releaseLater(this.lockName, this.acquisitionId, this.lastToken, null);
            } catch (RuntimeException ex) {
                return CompletableFuture.failedStage(ex);
            }
        }

        private CompletionStage<ReleaseReply> await() {
            try {
                return CompletableFuture.completedStage(
                        OrphanCleanup.this.store.release(this.lockName, this.acquisitionId, this.lastToken, null));
            } catch (RuntimeException ex) {
                return CompletableFuture.failedStage(ex);
            }
        }

        private long nextPause() {
            long now = this.pause;
            this.pause = Math.min(now * 2, LONGEST_PAUSE);
            // The last attempt comes when the lease that may have been granted has expired.
            long left = this.until - OrphanCleanup.this.clock.nanoTime();
            return Math.max(FIRST_PAUSE / 10, Math.min(now, left));
        }
    }
}

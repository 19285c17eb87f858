package io.github.lockstarter.lease;

import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes back what a call may have left in the store, without anybody waiting for it: a grant whose reply was lost, or a
 * release that was not answered. Ids are never used twice, so that repeating a release harms nobody.
 */
final class BackgroundRelease {

    private static final LockLog logger = LockLog.of(BackgroundRelease.class);

    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(5);

    private final LeaseClock clock;

    private final LockStore store;

    private final LockThreads threads;

    private final LoggedNames names;

    /** Releases that were sent and not answered yet. */
    private final Census open = new Census();

    BackgroundRelease(LeaseClock clock, LockStore store, LockThreads threads, LoggedNames names) {
        this.clock = clock;
        this.store = store;
        this.threads = threads;
        this.names = names;
    }

    /** Waits for the answers to what was sent. */
    void awaitAnswers(Duration atMost) {
        boolean unused = this.open.awaitNone(atMost);
    }

    /** Releases a grant that is known; the first answer is final, unless an attempt to acquire it is still open. */
    void ofGrant(Grant grant) {
        long until = Math.max(this.clock.nanoTime(), grant.validUntil()) + LONGEST_PAUSE;
        boolean unanswered = grant.unansweredMillis(this.clock.nanoTime()) > 0;
        this.threads.cleanUp(
                new Task(grant.lockName(), grant.acquisitionId(), grant.fencingToken(), until, unanswered));
    }

    /**
     * Gives up a place in line, and what may have been granted to it. With an attempt unanswered "not mine" proves
     * nothing: the acquire may still be on its way, and would take the lock or join the line for nobody when it is
     * executed.
     *
     * @return completed when the store has answered or failed the first attempt; never exceptionally, and on a thread
     *     that must not be blocked
     */
    CompletionStage<?> ofPlace(String lockName, Place place) {
        place.close();
        long unanswered = place.unansweredMillis();
        long atMost = unanswered > 0 ? TimeUnit.MILLISECONDS.toNanos(unanswered) : LONGEST_PAUSE;
        return new Task(lockName, place.acquisitionId(), 0, this.clock.nanoTime() + atMost, unanswered > 0).start();
    }

    /**
     * Releases what an unanswered acquire may have been granted. "Not mine" proves nothing here: the acquire may still
     * be on its way and be executed after the release. So it is repeated until what it may yet be granted would have run
     * out.
     */
    void ofUnanswered(String lockName, String acquisitionId, long leaseMillis) {
        long until = this.clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        this.threads.cleanUp(new Task(lockName, acquisitionId, 0, until, true));
    }

    /** The same for a grant that was given back or lost, if one of its attempts was never answered. */
    void ofUnanswered(Grant grant) {
        long left = grant.unansweredMillis(this.clock.nanoTime());
        if (left > 0) {
            ofUnanswered(grant.lockName(), grant.acquisitionId(), left);
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

        /** Sends the release at once if the store can do that without blocking, otherwise from a thread of ours. */
        CompletionStage<?> start() {
            CompletionStage<ReleaseReply> sent = send();
            if (sent != null) {
                return settle(sent);
            }
            CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
            boolean accepted = BackgroundRelease.this.threads.cleanUp(() -> {
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
            BackgroundRelease.this.open.began();
            return sent.handle((reply, failure) -> {
                if (logger.isDebugEnabled()) {
                    String shown = BackgroundRelease.this.names.of(this.lockName);
                    logger.debug("Background release of lock '" + shown + "': " + reply, failure);
                }
                boolean settled = failure == null && !this.unanswered;
                if (!settled && BackgroundRelease.this.clock.nanoTime() - this.until < 0) {
                    BackgroundRelease.this.threads.cleanUpLater(this, nextPause());
                }
                BackgroundRelease.this.open.ended();
                return reply;
            });
        }

        /** Without waiting for the answer: a part of the store that is silent must not delay the others. */
        private @Nullable CompletionStage<ReleaseReply> send() {
            try {
                return BackgroundRelease.this.store.releaseLater(
                        this.lockName, this.acquisitionId, this.lastToken, null);
            } catch (RuntimeException ex) {
                return CompletableFuture.failedStage(ex);
            }
        }

        private CompletionStage<ReleaseReply> await() {
            try {
                return CompletableFuture.completedStage(
                        BackgroundRelease.this.store.release(this.lockName, this.acquisitionId, this.lastToken, null));
            } catch (RuntimeException ex) {
                return CompletableFuture.failedStage(ex);
            }
        }

        private long nextPause() {
            long now = this.pause;
            this.pause = Math.min(now * 2, LONGEST_PAUSE);
            // The last look comes when the lease that may have been granted is over.
            long left = this.until - BackgroundRelease.this.clock.nanoTime();
            return Math.max(FIRST_PAUSE / 10, Math.min(now, left));
        }
    }
}

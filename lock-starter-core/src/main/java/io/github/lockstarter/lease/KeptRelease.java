package io.github.lockstarter.lease;

import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.text.LockLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * One release before the minimum hold is over: the owner is done, but the lock is handed to nobody and runs out by itself
 * when the time has come.
 */
final class KeptRelease {

    private static final LockLog logger = LockLog.of(KeptRelease.class);

    private final LockEngine engine;

    private final Grant grant;

    private final long keepMillis;

    private boolean repeated;

    KeptRelease(LockEngine engine, Grant grant, long keepMillis) {
        this.engine = engine;
        this.grant = grant;
        this.keepMillis = keepMillis;
    }

    /** How long a grant must be kept yet although its owner is done; 0: not at all. */
    static long millisToKeep(Grant grant, long now) {
        long keptUntil = grant.keptUntil();
        if (keptUntil == Grant.NOT_KEPT) {
            return 0;
        }
        long left = keptUntil - now;
        // A part of a millisecond counts, or the lock would be free a moment too early.
        return left > 0 ? TimeUnit.NANOSECONDS.toMillis(left) + 1 : 0;
    }

    /** Waits for the answer; false if the lock was not ours any more. */
    boolean await() {
        try (InterruptShield shield = new InterruptShield()) {
            while (true) {
                ReleaseReply reply;
                try {
                    reply = this.engine
                            .store()
                            .keep(this.grant.lockName(), this.grant.acquisitionId(), this.keepMillis);
                } catch (RuntimeException | Error ex) {
                    if (shield.caught()) {
                        this.repeated = true;
                        continue;
                    }
                    return failed(ex);
                }
                return concluded(reply);
            }
        } finally {
            leaveQueue();
        }
    }

    /**
     * Does the same without waiting for the answer.
     *
     * @return completed with what {@link #await()} would return, on a thread that must not be blocked
     */
    CompletionStage<Boolean> send() {
        CompletionStage<ReleaseReply> reply;
        try {
            reply = this.engine.store().keepLater(this.grant.lockName(), this.grant.acquisitionId(), this.keepMillis);
        } catch (RuntimeException | Error ex) {
            leaveQueue();
            return CompletableFuture.completedStage(failed(ex));
        }
        if (reply == null) {
            return this.engine.threads().release(this::await);
        }
        return reply.handle((answer, failure) -> {
            try {
                return failure == null ? concluded(answer) : failed(StoreFailures.unwrapped(failure));
            } finally {
                leaveQueue();
            }
        });
    }

    /** The next in this JVM asks the store, which answers how long the lock is kept. */
    private void leaveQueue() {
        this.engine.queues().leave(this.grant.turn());
    }

    private boolean concluded(ReleaseReply reply) {
        // An acquire that is executed after the lock has expired would take it for nobody; a kept lock is not released.
        this.engine.backgroundRelease().ofUnanswered(this.grant);
        // Executed twice, the first execution may have kept the lock, which has expired since.
        if (reply.isReleased() || reply.outcome() == ReleaseReply.Outcome.UNPROVEN || this.repeated) {
            this.engine.releaser().released(this.grant);
            return true;
        }
        this.engine.releaser().foundLost(this.grant, reply);
        return false;
    }

    private boolean failed(Throwable failure) {
        this.engine
                .threads()
                .log(() -> logger.warn("The minimum hold of lock '"
                        + this.engine.names().of(this.grant.lockName()) + "' could not be applied: "
                        + failure.getMessage() + " The lock expires with its lease."));
        this.engine.releaser().unanswered(this.grant, failure);
        return true;
    }
}

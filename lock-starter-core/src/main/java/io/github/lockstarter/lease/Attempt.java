package io.github.lockstarter.lease;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireReply;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One question to the store whether it grants a lock, from the moment in which it is sent. Who asks may wait for the
 * answer, or be told that it is there. Used by one thread at a time; only the answer may come on another one.
 */
final class Attempt {

    private final LockEngine engine;

    private final Acquisition acquisition;

    private final Turn turn;

    private final Place place;

    private final long sentAt;

    private final long sentAtWall;

    private @Nullable AcquireReply reply;

    private @Nullable Throwable failure;

    /** Whether the thread that asked was interrupted, which says nothing about the store. */
    private boolean interrupted;

    /** Written last, read first: what came is there when this is. */
    private volatile boolean answered;

    private Attempt(LockEngine engine, Acquisition acquisition, Turn turn) {
        this.engine = engine;
        this.acquisition = acquisition;
        this.turn = turn;
        this.place = Objects.requireNonNull(turn.place());
        Claim claim = this.place.takeClaim(acquisition.leaseMillis());
        if (claim != null) {
            // Asked and answered before anybody looked.
            this.sentAt = claim.sentAt();
            this.sentAtWall = claim.sentAtWall();
            this.reply = new AcquireReply.Granted(claim.fencingToken());
            this.answered = true;
        } else {
            this.sentAt = engine.clock().nanoTime();
            this.sentAtWall = engine.clock().currentTimeMillis();
            this.place.asking(this.sentAt);
        }
    }

    /** Asks and waits for the answer; null if the lock was not granted. */
    static @Nullable Grant now(LockEngine engine, Acquisition acquisition, Turn turn) {
        engine.attempts().began();
        try {
            acquisition.ensureAccepting();
            Attempt attempt = new Attempt(engine, acquisition, turn);
            attempt.ask();
            return attempt.conclude();
        } finally {
            engine.attempts().ended();
        }
    }

    /**
     * Asks, and returns before the answer is there if the store can do that. {@link #end} must follow.
     *
     * @param onAnswer called when the answer is there, at once or later, on a thread that must not be blocked
     */
    static Attempt later(LockEngine engine, Acquisition acquisition, Turn turn, Runnable onAnswer) {
        engine.attempts().began();
        try {
            acquisition.ensureAccepting();
            Attempt attempt = new Attempt(engine, acquisition, turn);
            attempt.askLater(onAnswer);
            return attempt;
        } catch (RuntimeException | Error ex) {
            engine.attempts().ended();
            throw ex;
        }
    }

    private void ask() {
        if (isAnswered()) {
            return;
        }
        try {
            this.reply = this.engine
                    .store()
                    .acquire(
                            this.turn.lockName(),
                            this.place.acquisitionId(),
                            this.acquisition.leaseMillis(),
                            this.acquisition.mayWait());
        } catch (RuntimeException ex) {
            this.failure = ex;
            this.interrupted = Thread.currentThread().isInterrupted();
        }
        this.answered = true;
    }

    private void askLater(Runnable onAnswer) {
        CompletionStage<AcquireReply> promised = isAnswered() ? null : promise();
        if (promised == null) {
            ask();
            onAnswer.run();
            return;
        }
        CompletionStage<?> unused = promised.whenComplete((answer, thrown) -> {
            this.reply = answer;
            this.failure = thrown;
            this.answered = true;
            onAnswer.run();
        });
    }

    private @Nullable CompletionStage<AcquireReply> promise() {
        return this.engine
                .store()
                .acquireLater(
                        this.turn.lockName(),
                        this.place.acquisitionId(),
                        this.acquisition.leaseMillis(),
                        this.acquisition.mayWait());
    }

    boolean isAnswered() {
        return this.answered;
    }

    /** What the answer comes to; null if the lock was not granted. Once, and not before the answer is there. */
    @Nullable
    Grant end() {
        try {
            return conclude();
        } finally {
            this.engine.attempts().ended();
        }
    }

    private @Nullable Grant conclude() {
        try {
            return meaning();
        } catch (LockStoreException ex) {
            if (ex.isOutcomeUnknown()) {
                this.place.unanswered(this.acquisition.leaseMillis());
            }
            if (this.interrupted && ex.isOutcomeUnknown()) {
                this.place.interrupted();
                this.acquisition.interrupted();
            } else {
                this.place.answered(ex);
                this.acquisition.failed(ex);
            }
            return null;
        }
    }

    private @Nullable Grant meaning() {
        AcquireReply answer = this.reply;
        if (answer == null) {
            throw StoreFailures.of(this.engine.names().of(this.turn.lockName()), this.failure);
        }
        this.place.answered(null);
        if (answer instanceof AcquireReply.Granted granted) {
            return this.engine
                    .grants()
                    .granted(
                            this.acquisition,
                            granted.fencingToken(),
                            this.place,
                            this.turn,
                            this.sentAt,
                            this.sentAtWall);
        }
        this.place.taken(this.acquisition.mayWait());
        this.acquisition.refused(((AcquireReply.Taken) answer).remainingMillis());
        return null;
    }
}

package io.github.lockstarter.lease;

import io.github.lockstarter.LockStoreException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a waiter in the local queue can be refused when its wait is over. A grant of this JVM shows that the
 * lock is held; otherwise the store is asked. The last answer to the first of the queue does not count: it can be older
 * than the wait, and the store may be silent since.
 */
final class HolderCheck {

    private final LockEngine engine;

    private final String lockName;

    private volatile @Nullable LockStoreException failure;

    /** Written last, read first. */
    private volatile boolean answered;

    HolderCheck(LockEngine engine, String lockName) {
        this.engine = engine;
        this.lockName = lockName;
    }

    boolean isHeldHere() {
        return this.engine.inventory().isHeld(this.lockName);
    }

    /** Asks and waits for the answer. */
    void ask() {
        try {
            answered(this.engine.store().isLocked(this.lockName), null);
        } catch (RuntimeException ex) {
            answered(true, ex);
        }
    }

    /**
     * Asks, and returns before the answer is there if the store can do that.
     *
     * @param onAnswer called when the answer is there, at once or later, on a thread that must not be blocked
     */
    void askLater(Runnable onAnswer) {
        CompletionStage<Boolean> reply = this.engine.store().isLockedLater(this.lockName);
        if (reply == null) {
            ask();
            onAnswer.run();
            return;
        }
        CompletionStage<?> unused = reply.whenComplete((locked, thrown) -> {
            answered(thrown != null || locked, thrown);
            onAnswer.run();
        });
    }

    private void answered(boolean locked, @Nullable Throwable thrown) {
        this.failure = thrown != null
                ? StoreFailures.of(this.engine.names().of(this.lockName), thrown)
                : locked ? null : troubleOfFirst();
        this.answered = true;
    }

    /** Why the first of the queue does not get a lock that is free; null if there is no reason but the moment. */
    private @Nullable LockStoreException troubleOfFirst() {
        Turn first = this.engine.queues().first(this.lockName);
        Place place = first != null ? first.place() : null;
        return place != null ? place.trouble() : null;
    }

    boolean isAnswered() {
        return this.answered;
    }

    /** Why the lock cannot be refused; null if it can. */
    @Nullable
    LockStoreException failure() {
        return this.failure;
    }
}

package io.github.lockstarter.lease;

import io.github.lockstarter.LockStoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A place in the local queue of a lock: complete when it is this one's turn. It is kept from then until the lease has
 * ended, and must be left exactly as often as it was entered; leaving again does nothing.
 */
final class Turn extends CompletableFuture<@Nullable Void> {

    private final LocalQueues queues;

    private final String lockName;

    private final AtomicBoolean left = new AtomicBoolean();

    private volatile @Nullable Runnable onWake;

    /** When the store was asked and has not answered yet; 0: nothing is open. */
    private volatile long askedAt;

    /** Why the store gave no usable answer when it was asked last; null: it gave one, or was not asked yet. */
    private volatile @Nullable LockStoreException trouble;

    Turn(LocalQueues queues, String lockName) {
        this.queues = queues;
        this.lockName = lockName;
    }

    String lockName() {
        return this.lockName;
    }

    void leave() {
        if (this.left.compareAndSet(false, true)) {
            this.onWake = null;
            this.queues.leave(this);
        }
    }

    /** What to do when the lock may be free; must not block. Null: nothing, nobody waits any more. */
    void onWake(@Nullable Runnable action) {
        this.onWake = action;
    }

    void asking(long now) {
        this.askedAt = now != 0 ? now : 1;
    }

    void answered(@Nullable LockStoreException failure) {
        this.trouble = failure;
        this.askedAt = 0;
    }

    @Nullable
    LockStoreException trouble() {
        return this.trouble;
    }

    /** Whether the store has been asked before that time and is silent since. */
    boolean isSilentSince(long time) {
        long asked = this.askedAt;
        return asked != 0 && asked - time <= 0;
    }

    void wake() {
        Runnable action = this.onWake;
        if (action != null) {
            action.run();
        }
    }
}

package io.github.lockstarter.lease;

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

    /** What to do when the lock may be free; must not block. */
    void onWake(Runnable action) {
        this.onWake = action;
    }

    void wake() {
        Runnable action = this.onWake;
        if (action != null) {
            action.run();
        }
    }
}

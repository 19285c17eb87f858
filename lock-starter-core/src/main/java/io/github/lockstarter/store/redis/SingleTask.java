package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.StackRoom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A task of which at most one run is scheduled or running. The thread that schedules it may have no stack left, or the
 * system may refuse a thread: nothing counts as scheduled then, and the next attempt schedules the task.
 * Thread-safe.
 */
final class SingleTask {

    private final Runnable task;

    /**
     * {@code null} if there is no run. A run that was replaced does nothing, unless the executor has not accepted the
     * one that replaces it.
     */
    private final AtomicReference<@Nullable Run> scheduled = new AtomicReference<>();

    SingleTask(Runnable task) {
        this.task = task;
    }

    /**
     * Schedules the task unless a run is scheduled or running.
     *
     * @param executor runs what it gets, or throws
     */
    void schedule(Consumer<Runnable> executor) {
        Run present = this.scheduled.get();
        // The executor may still refuse a run that it has not accepted.
        if (present == null || !present.isAccepted || present.isOver) {
            scheduleAgain(executor);
        }
    }

    /** Schedules the task, also while it runs. */
    void scheduleAgain(Consumer<Runnable> executor) {
        StackRoom.require();
        Run next = new Run();
        Run replaced = this.scheduled.getAndSet(next);
        try {
            executor.accept(next);
            next.isAccepted = true;
        } finally {
            if (!next.isAccepted) {
                this.scheduled.compareAndSet(next, replaced);
            }
        }
    }

    /** Notes that the run has ended before it returns, so that what happens from now on needs another one. */
    void ended() {
        this.scheduled.set(null);
    }

    private final class Run implements Runnable {

        private volatile boolean isAccepted;

        private volatile boolean isOver;

        @Override
        public void run() {
            Run current = SingleTask.this.scheduled.get();
            if (current == this || (current != null && !current.isAccepted)) {
                try {
                    SingleTask.this.task.run();
                } finally {
                    this.isOver = true;
                    SingleTask.this.scheduled.compareAndSet(this, null);
                }
            }
        }
    }
}

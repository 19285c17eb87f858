package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.StackRoom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A task of which at most one run is scheduled or running. The thread that schedules it may have no stack left, or the system
 * may refuse a thread: nothing counts as scheduled then, so that the next attempt schedules the task. Thread-safe.
 */
final class SingleTask {

    private final Runnable task;

    /** Null: there is none. One that was replaced in a race does nothing. */
    private volatile @Nullable Run scheduled;

    SingleTask(Runnable task) {
        this.task = task;
    }

    /**
     * Schedules the task unless a run is scheduled or running.
     *
     * @param executor runs what it gets, or throws
     */
    void schedule(Consumer<Runnable> executor) {
        if (this.scheduled == null) {
            scheduleAgain(executor);
        }
    }

    /** Schedules the task, also while it runs. */
    void scheduleAgain(Consumer<Runnable> executor) {
        StackRoom.require();
        Run next = new Run();
        boolean isScheduled = false;
        this.scheduled = next;
        try {
            executor.accept(next);
            isScheduled = true;
        } finally {
            if (!isScheduled) {
                this.scheduled = null;
            }
        }
    }

    /** Notes that the run has ended before it returns, so that what happens from now on needs another one. */
    void ended() {
        this.scheduled = null;
    }

    private final class Run implements Runnable {

        @Override
        public void run() {
            if (SingleTask.this.scheduled == this) {
                try {
                    SingleTask.this.task.run();
                } finally {
                    if (SingleTask.this.scheduled == this) {
                        SingleTask.this.scheduled = null;
                    }
                }
            }
        }
    }
}

package io.github.lockstarter.store.redis;

import io.github.lockstarter.fixture.Interleavings;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of threads that schedule a task with those that run it: the task runs after each request that the
 * executor has accepted.
 */
class SingleTaskModelTest {

    /** A queue, which threads of the model work off, replaces the executor. */
    abstract static class Model {

        private final Queue<Runnable> accepted = new ConcurrentLinkedQueue<>();

        final SingleTask task = new SingleTask(this::run);

        abstract void run();

        void schedule() {
            this.task.schedule(this.accepted::add);
        }

        /** Fails without a request, so that nothing but the next request schedules the task. */
        @Operation
        public void requestInVain() {
            try {
                this.task.schedule(run -> {
                    throw new RejectedExecutionException("of the test");
                });
            } catch (RejectedExecutionException ex) {
                // Nothing is scheduled.
            }
        }

        @Operation
        public void work() {
            for (Runnable next = this.accepted.poll(); next != null; next = this.accepted.poll()) {
                next.run();
            }
        }
    }

    /** A task that notes its end before it reads what was requested. */
    public static class CountingTask extends Model {

        private final AtomicInteger requested = new AtomicInteger();

        private final AtomicInteger done = new AtomicInteger();

        @Override
        void run() {
            this.task.ended();
            // Requests from now on need another run.
            int seen = this.requested.get();
            this.done.accumulateAndGet(seen, Math::max);
        }

        @Operation
        public void request() {
            this.requested.incrementAndGet();
            schedule();
        }

        @Validate
        public void shouldHaveRun() {
            work();
            if (this.done.get() != this.requested.get()) {
                throw new IllegalStateException(
                        "The task did not run after the last of " + this.requested + " requests.");
            }
        }
    }

    /** A task that does not note its end before it returns, so that a request during a run may be without effect. */
    public static class PlainTask extends Model {

        private final AtomicInteger runs = new AtomicInteger();

        @Override
        void run() {
            this.runs.incrementAndGet();
        }

        @Operation
        public void request() {
            schedule();
        }

        @Validate
        public void shouldRunOnceMore() {
            work();
            int before = this.runs.get();
            request();
            work();
            if (this.runs.get() == before) {
                throw new IllegalStateException("The task does not run any more after " + before + " runs.");
            }
        }
    }

    @Test
    void shouldRunAfterEachRequest() {
        Interleavings.check(CountingTask.class, 12, 50);
    }

    @Test
    void shouldRunAgainAfterAnyRefusal() {
        Interleavings.check(PlainTask.class, 12, 50);
    }
}

package io.github.lockstarter.engine;

import io.github.lockstarter.fixture.Interleavings;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;

/**
 * Interleavings of threads that add tasks with those that run them: each task runs. A queue, which threads of the
 * model work off, replaces the executor.
 */
class RunThreadsModelTest {

    /** Stages, of which one runs at a time, on an executor that starts no thread. */
    public static class Stages {

        private final Queue<Runnable> accepted = new ConcurrentLinkedQueue<>();

        private final AtomicInteger refusals = new AtomicInteger();

        private final AtomicInteger added = new AtomicInteger();

        private final AtomicInteger ran = new AtomicInteger();

        private final RunThreads threads = new RunThreads((task, delay) -> this.accepted.add(task));

        public Stages() {
            Object stages = Objects.requireNonNull(ReflectionTestUtils.getField(this.threads, "others"));
            ReflectionTestUtils.setField(stages, "most", 1);
            // A stage that waits is not logged.
            ReflectionTestUtils.setField(stages, "wasReported", new AtomicBoolean(true));
            ReflectionTestUtils.setField(
                    stages, "pool", new ThreadPoolExecutor(0, 1, 1, TimeUnit.SECONDS, new SynchronousQueue<>()) {

                        @Override
                        public void execute(Runnable task) {
                            if (Stages.this.refusals.get() > 0 && Stages.this.refusals.getAndDecrement() > 0) {
                                throw new RejectedExecutionException("of the test");
                            }
                            Stages.this.accepted.add(task);
                        }
                    });
        }

        @Operation
        public void add() {
            this.added.incrementAndGet();
            this.threads.complete(this.ran::incrementAndGet);
        }

        /** The system refuses the next thread. */
        @Operation
        public void refuse() {
            this.refusals.set(1);
        }

        /** Does what a thread of an executor does, until it has nothing to do. */
        @Operation
        public void work() {
            for (Runnable next = this.accepted.poll(); next != null; next = this.accepted.poll()) {
                next.run();
            }
        }

        @Validate
        public void eachTaskHasRun() {
            work();
            if (this.ran.get() != this.added.get()) {
                throw new IllegalStateException(
                        "A task has no thread: of " + this.added + " that were added, " + this.ran + " ran.");
            }
        }
    }

    @Test
    void shouldRunEachStage() {
        Interleavings.check(Stages.class, 3, 50);
    }
}

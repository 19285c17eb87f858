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
 * Interleavings of threads that add tasks with those that run them: each task runs. A queue, which threads of the model work off,
 * replaces the executor.
 */
class RunThreadsModelTest {

    /** The threads of a run, one of whose executors starts no thread. */
    abstract static class Model {

        private final Queue<Runnable> accepted = new ConcurrentLinkedQueue<>();

        private final AtomicInteger refusals = new AtomicInteger();

        private final AtomicInteger added = new AtomicInteger();

        private final AtomicInteger ran = new AtomicInteger();

        final RunThreads threads = new RunThreads((task, delay) -> this.accepted.add(task));

        /** Replaces the executor of that field of one of the parts of the threads. */
        Model(String part, String executor) {
            ReflectionTestUtils.setField(
                    part(part), executor, new ThreadPoolExecutor(0, 1, 1, TimeUnit.SECONDS, new SynchronousQueue<>()) {

                        @Override
                        public void execute(Runnable task) {
                            if (Model.this.refusals.get() > 0 && Model.this.refusals.getAndDecrement() > 0) {
                                throw new RejectedExecutionException("of the test");
                            }
                            Model.this.accepted.add(task);
                        }
                    });
        }

        Object part(String name) {
            return Objects.requireNonNull(ReflectionTestUtils.getField(this.threads, name));
        }

        abstract void start(Runnable task);

        @Operation
        public void add() {
            this.added.incrementAndGet();
            start(this.ran::incrementAndGet);
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

        void requireEnd() {
            work();
            if (this.ran.get() != this.added.get()) {
                throw new IllegalStateException(
                        "A task has no thread: of " + this.added + " that were added, " + this.ran + " ran.");
            }
        }
    }

    /** The thread of the listeners; that of the log has the same class. */
    public static class Listeners extends Model {

        public Listeners() {
            super("listeners", "thread");
        }

        @Validate
        public void eachTaskHasRun() {
            requireEnd();
        }

        @Override
        void start(Runnable task) {
            boolean unused = this.threads.call(task);
        }
    }

    /** Stages, of which one runs at a time. */
    public static class Stages extends Model {

        public Stages() {
            super("others", "pool");
            Object stages = part("others");
            ReflectionTestUtils.setField(stages, "most", 1);
            // A stage that waits is not logged.
            ReflectionTestUtils.setField(stages, "wasReported", new AtomicBoolean(true));
        }

        @Validate
        public void eachTaskHasRun() {
            requireEnd();
        }

        @Override
        void start(Runnable task) {
            this.threads.complete(task);
        }
    }

    @Test
    void shouldCallEachListener() {
        Interleavings.check(Listeners.class, 3, 50);
    }

    @Test
    void shouldRunEachStage() {
        Interleavings.check(Stages.class, 3, 50);
    }
}

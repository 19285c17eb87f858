package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.StackRoom;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of threads that schedule a task with those that run it: the task runs after each request that the executor has
 * accepted.
 */
public class SingleTaskModelTest {

    private final Queue<Runnable> accepted = new ConcurrentLinkedQueue<>();

    private final AtomicInteger requested = new AtomicInteger();

    private final AtomicInteger done = new AtomicInteger();

    private final SingleTask task = new SingleTask(this::run);

    private void run() {
        this.task.ended();
        // Requests from now on need another run.
        int seen = this.requested.get();
        this.done.accumulateAndGet(seen, Math::max);
    }

    @Operation
    public void request() {
        this.requested.incrementAndGet();
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

    @Validate
    public void shouldHaveRun() {
        work();
        if (this.done.get() != this.requested.get()) {
            throw new IllegalStateException("The task did not run after the last of " + this.requested + " requests.");
        }
    }

    /** A task that does not note its end before it returns, so that a request during a run may be without effect. */
    public static class PlainTask {

        private final Queue<Runnable> accepted = new ConcurrentLinkedQueue<>();

        private final AtomicInteger runs = new AtomicInteger();

        private final SingleTask task = new SingleTask(this.runs::incrementAndGet);

        @Operation
        public void request() {
            this.task.schedule(this.accepted::add);
        }

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

    private static void check(Class<?> model) {
        new ModelCheckingOptions()
                .iterations(6)
                .invocationsPerIteration(50)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(0)
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(StackRoom.class.getName())
                        .allMethods()
                        .ignore())
                .check(model);
    }

    @Test
    void shouldRunAfterEachRequest() {
        check(SingleTaskModelTest.class);
    }

    @Test
    void shouldRunAgainAfterAnyRefusal() {
        check(PlainTask.class);
    }
}

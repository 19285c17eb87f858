package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.fixture.Remarks;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The end of a wait costs about as much in a long queue as in a short one. The cost is the processor time of all Java threads:
 * it depends neither on what else the machine does, nor on the compiler and the garbage collector.
 */
@Tag("full")
class ManyTimeoutsTest extends RegistryFixture {

    private static final int FEW = 500;

    private static final int MANY = 100_000;

    /** Waits that end, at the tail of the queue. */
    private static final int ENDING = 1_000;

    /** Long enough for all that end to enter the queue before. */
    private static final Duration WAIT = Duration.ofSeconds(2);

    /** A walk over the queue is more than five times as expensive. */
    private static final int LIMIT = 3;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final LeasingLockRegistry registry = registry(withoutPolling(LONG));

    ManyTimeoutsTest() {
        super(new InMemoryBackend());
    }

    /** Processor time in microseconds. */
    private record Costs(long timeouts, long cancellations) {}

    @Test
    void shouldCostTheSameHoweverManyWait() throws Exception {
        // compiles the code
        costsBehind(FEW);

        Costs few = costsBehind(FEW);
        Costs many = costsBehind(MANY);

        Remarks.say(ENDING + " waits that end: behind " + FEW + " others " + few + " µs, behind " + MANY + ' ' + many
                + " µs");
        assertThat(many.timeouts()).as("time-outs").isLessThan(few.timeouts() * LIMIT);
        assertThat(many.cancellations()).as("cancellations").isLessThan(few.cancellations() * LIMIT);
    }

    private interface End {
        void of(List<CompletableFuture<Lease>> waits);
    }

    private Costs costsBehind(int others) throws Exception {
        Lease owner = this.registry.acquire(request());
        List<CompletableFuture<Lease>> staying = enter(others, LockRequest.FOREVER);

        long timeouts = cost(others, WAIT, ends -> {});
        long cancellations = cost(others, LockRequest.FOREVER, ends -> {
            // The last one is the farthest from the head of the queue.
            Collections.reverse(ends);
            ends.forEach(each -> each.cancel(false));
        });

        assertThat(staying).noneMatch(CompletableFuture::isDone);
        staying.forEach(each -> each.cancel(false));
        awaitWaiting(this.registry, 0);
        owner.release();
        return new Costs(timeouts / 1_000, cancellations / 1_000);
    }

    private long cost(int others, Duration waitTime, End end) throws Exception {
        List<CompletableFuture<Lease>> ending = enter(ENDING, waitTime);
        assertThat(this.registry.waiting()).as("none has ended yet").isEqualTo(others + ENDING);
        Map<Long, Long> start = processorTimes();

        end.of(ending);

        // In this order, because asking again and again for seconds would cost as much as the ends do.
        get(CompletableFuture.allOf(ending.toArray(CompletableFuture[]::new)).handle((none, failure) -> true));
        awaitWaiting(this.registry, others);
        assertThat(ending).allMatch(CompletableFuture::isCompletedExceptionally);
        return processorTimes().entrySet().stream()
                .mapToLong(thread -> thread.getValue() - start.getOrDefault(thread.getKey(), 0L))
                .sum();
    }

    private List<CompletableFuture<Lease>> enter(int count, Duration waitTime) {
        LockRequest request = request().withWaitTime(waitTime);
        List<CompletableFuture<Lease>> waits = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            waits.add(this.registry.acquireAsync(request));
        }
        return waits;
    }

    /** By thread, in nanoseconds; without threads that have ended. */
    private static Map<Long, Long> processorTimes() {
        Map<Long, Long> times = new HashMap<>();
        for (long thread : THREADS.getAllThreadIds()) {
            times.put(thread, THREADS.getThreadCpuTime(thread));
        }
        return times;
    }
}

package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Also of {@link SingleTask}, which schedules the checks. */
class ReplyTimeoutsTest {

    private static final Duration TIMEOUT = Duration.ofMillis(200);

    /** Checks by the time at which they are due. */
    private final NavigableMap<Long, Runnable> scheduled = new TreeMap<>();

    private final Queue<Throwable> refusals = new ArrayDeque<>();

    private long now = 5;

    private final ReplyTimeouts timeouts = new ReplyTimeouts(TIMEOUT, this::schedule, () -> this.now);

    private void schedule(Runnable check, long nanos) {
        Throwable refusal = this.refusals.poll();
        if (refusal instanceof Error error) {
            throw error;
        }
        if (refusal instanceof RuntimeException exception) {
            throw exception;
        }
        this.scheduled.put(this.now + nanos, check);
    }

    private static CompletableFuture<String> asked(ReplyTimeouts timeouts) {
        CompletableFuture<String> reply = new CompletableFuture<>();
        timeouts.limit(reply);
        return reply;
    }

    /** Lets time pass, with the checks that are due in it. */
    private void pass(Duration time) {
        long end = this.now + time.toNanos();
        while (!this.scheduled.isEmpty() && this.scheduled.firstKey() <= end) {
            this.now = this.scheduled.firstKey();
            this.scheduled.remove(this.now).run();
        }
        this.now = end;
    }

    private void assertThatItFailsIn(Duration time, CompletableFuture<?> reply) {
        pass(time.minusNanos(1));
        assertThat(reply).isNotDone();
        pass(Duration.ofNanos(1));
        assertThat(reply.handle((value, failure) -> failure))
                .isCompletedWithValueMatching(TimeoutException.class::isInstance);
    }

    @Test
    void shouldFailEachLateReplyAtItsDeadline() {
        Duration quarter = TIMEOUT.dividedBy(4);
        CompletableFuture<String> first = asked(this.timeouts);
        List<CompletableFuture<String>> duringACheck = new ArrayList<>();
        CompletableFuture<?> unused = first.whenComplete((reply, timeout) -> duringACheck.add(asked(this.timeouts)));
        pass(quarter);
        asked(this.timeouts).complete("reply");
        CompletableFuture<String> second = asked(this.timeouts);

        assertThatItFailsIn(TIMEOUT.minus(quarter), first);
        assertThatItFailsIn(quarter, second);
        assertThatItFailsIn(TIMEOUT.minus(quarter), duringACheck.get(0));

        assertThat(this.scheduled).isEmpty();
    }

    /** As where the system refuses a thread for a moment. */
    @Test
    void shouldScheduleACheckAfterOneWasRefused() {
        this.refusals.add(new OutOfMemoryError("unable to create native thread"));
        this.refusals.add(new RejectedExecutionException());
        CompletableFuture<String> first = new CompletableFuture<>();
        assertThatThrownBy(() -> this.timeouts.limit(first)).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> asked(this.timeouts)).isInstanceOf(RejectedExecutionException.class);

        assertThatItFailsIn(TIMEOUT, asked(this.timeouts));

        assertThat(first).as("was not limited, but is checked with the others").isCompletedExceptionally();
    }

    /** A second attempt begins while the executor has not refused the first one yet. */
    @Test
    void shouldNotLoseATaskWhoseExecutorRefusesAnotherRun() {
        List<String> runs = new ArrayList<>();
        List<Runnable> accepted = new ArrayList<>();
        SingleTask task = new SingleTask(() -> runs.add("run"));
        Consumer<Runnable> refusing = run -> {
            task.schedule(accepted::add);
            throw new OutOfMemoryError("unable to create native thread");
        };

        assertThatThrownBy(() -> task.schedule(refusing)).isInstanceOf(OutOfMemoryError.class);
        task.schedule(accepted::add);
        accepted.forEach(Runnable::run);

        assertThat(accepted).hasSize(1);
        assertThat(runs).hasSize(1);
        task.schedule(accepted::add);
        assertThat(accepted).as("after the run").hasSize(2);
    }

    @Test
    void shouldForgetNoRequestOfManyThreads() throws Exception {
        ReplyTimeouts real = new ReplyTimeouts(
                TIMEOUT,
                (check, nanos) -> CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS)
                        .execute(check));
        List<CompletableFuture<String>> all = Collections.synchronizedList(new ArrayList<>());
        ExecutorService threads = Executors.newFixedThreadPool(4);
        for (int i = 0; i < 4; i++) {
            threads.execute(() -> {
                for (int n = 0; n < 20_000; n++) {
                    CompletableFuture<String> reply = asked(real);
                    if (n % 100 != 0) {
                        reply.complete("reply");
                    }
                    all.add(reply);
                }
            });
        }
        threads.shutdown();
        assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();

        assertThat(CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                        .handle((value, failure) -> failure))
                .succeedsWithin(Duration.ofSeconds(10))
                .isNotNull();
        // A thread that has to wait for its turn may complete a request too late.
        assertThat(all)
                .filteredOn(CompletableFuture::isCompletedExceptionally)
                .as("requests without a reply")
                .hasSizeGreaterThanOrEqualTo(800);
    }
}

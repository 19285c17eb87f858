package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReplyTimeoutsTest {

    private static final Duration TIMEOUT = Duration.ofMillis(200);

    private final ReplyTimeouts timeouts = new ReplyTimeouts(
            TIMEOUT,
            (check, nanos) -> CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS)
                    .execute(check));

    /** Checks by the time at which they are due. */
    private final NavigableMap<Long, Runnable> scheduled = new TreeMap<>();

    private long now = 5;

    private final ReplyTimeouts byHand =
            new ReplyTimeouts(TIMEOUT, (check, nanos) -> this.scheduled.put(this.now + nanos, check), () -> this.now);

    @Test
    void shouldFailOnlyRepliesThatAreLate() {
        long askedAt = System.nanoTime();
        CompletableFuture<String> answered = asked();
        CompletableFuture<String> late = asked();
        CompletableFuture<String> answeredToo = asked();
        answered.complete("first");
        answeredToo.complete("third");

        soon().until(late::isDone);

        assertThat(late).isCompletedExceptionally();
        assertThat(late.handle((answer, failure) -> failure))
                .isCompletedWithValueMatching(TimeoutException.class::isInstance);
        assertThat(System.nanoTime() - askedAt).isGreaterThanOrEqualTo(TIMEOUT.toNanos());
        assertThat(answered).isCompletedWithValue("first");
        assertThat(answeredToo).isCompletedWithValue("third");
    }

    /** With a clock that the test moves, because the real one would measure how busy the machine is. */
    @Test
    void shouldFailEachLateReplyAtItsDeadline() {
        CompletableFuture<String> first = asked(this.byHand);
        pass(TIMEOUT.dividedBy(4));
        asked(this.byHand).complete("answer");
        CompletableFuture<String> second = asked(this.byHand);
        List<CompletableFuture<String>> third = new ArrayList<>();
        // a request during a check
        CompletableFuture<?> unused = first.whenComplete((answer, timeout) -> third.add(asked(this.byHand)));

        pass(TIMEOUT.multipliedBy(3).dividedBy(4).minusNanos(1));
        assertThat(first).isNotDone();
        pass(Duration.ofNanos(1));
        assertThat(first).isCompletedExceptionally();

        pass(TIMEOUT.dividedBy(4).minusNanos(1));
        assertThat(second).isNotDone();
        pass(Duration.ofNanos(1));
        assertThat(second).isCompletedExceptionally();

        pass(TIMEOUT.multipliedBy(3).dividedBy(4).minusNanos(1));
        assertThat(third).singleElement().satisfies(each -> assertThat(each).isNotDone());
        pass(Duration.ofNanos(1));
        assertThat(third).singleElement().satisfies(each -> assertThat(each).isCompletedExceptionally());
        assertThat(this.scheduled).isEmpty();
    }

    /** As where the system refuses a thread for a moment. */
    @Test
    void shouldScheduleACheckAfterOneWasRefused() {
        Queue<Throwable> refusals = new ArrayDeque<>(
                List.of(new OutOfMemoryError("unable to create native thread"), new RejectedExecutionException()));
        ReplyTimeouts refused = new ReplyTimeouts(
                TIMEOUT,
                (check, nanos) -> {
                    Throwable refusal = refusals.poll();
                    if (refusal instanceof Error error) {
                        throw error;
                    } else if (refusal instanceof RuntimeException exception) {
                        throw exception;
                    }
                    this.scheduled.put(this.now + nanos, check);
                },
                () -> this.now);
        CompletableFuture<String> first = new CompletableFuture<>();
        assertThatThrownBy(() -> refused.limit(first)).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> asked(refused)).isInstanceOf(RejectedExecutionException.class);

        CompletableFuture<String> third = asked(refused);

        assertThat(this.scheduled).hasSize(1);
        pass(TIMEOUT);
        assertThat(third).isCompletedExceptionally();
        assertThat(first).as("was not limited, but is checked with the others").isCompletedExceptionally();
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

    @Test
    void shouldForgetNoRequestOfManyThreads() throws Exception {
        List<CompletableFuture<String>> all = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(i -> new Thread(() -> {
                    long end = System.nanoTime() + 3 * TIMEOUT.toNanos();
                    for (int n = 0; System.nanoTime() - end < 0; n++) {
                        CompletableFuture<String> answer = asked();
                        if (n % 100 != 0) {
                            answer.complete("answer");
                        }
                        all.add(answer);
                    }
                }))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        soon().until(() -> all.stream().allMatch(CompletableFuture::isDone));

        assertThat(all).anyMatch(CompletableFuture::isCompletedExceptionally).hasSizeGreaterThan(1_000);
    }

    private CompletableFuture<String> asked() {
        return asked(this.timeouts);
    }

    private static CompletableFuture<String> asked(ReplyTimeouts timeouts) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        timeouts.limit(answer);
        return answer;
    }
}

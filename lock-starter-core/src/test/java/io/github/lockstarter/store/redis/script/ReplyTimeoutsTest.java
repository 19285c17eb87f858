package io.github.lockstarter.store.redis.script;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReplyTimeoutsTest {

    private static final Duration TIMEOUT = Duration.ofMillis(200);

    private final ReplyTimeouts timeouts = new ReplyTimeouts(TIMEOUT);

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

    /** The check that is scheduled for a reply that arrives in time finds later requests. */
    @Test
    void shouldCheckAgainForLaterRequests() {
        CompletableFuture<String> first = asked();
        soon().until(first::isDone);
        CompletableFuture<String> answered = asked();
        answered.complete("answer");

        CompletableFuture<String> second = asked();

        soon().until(second::isDone);
        assertThat(second).isCompletedExceptionally();
    }

    /** Other requests are added and answered all the time, also during a check. */
    @Test
    void shouldFailLateRepliesInTime() throws Exception {
        long longest = 0;
        List<CompletableFuture<Long>> late = new ArrayList<>();
        long end = System.nanoTime() + 10 * TIMEOUT.toNanos();
        for (int n = 0; System.nanoTime() - end < 0; n++) {
            CompletableFuture<String> answer = asked();
            if (n % 20 == 0) {
                long askedAt = System.nanoTime();
                late.add(answer.handle((none, timeout) -> System.nanoTime() - askedAt));
            } else {
                answer.complete("answer");
            }
            LockSupport.parkNanos(50_000);
        }
        for (CompletableFuture<Long> each : late) {
            longest = Math.max(longest, each.get(10, TimeUnit.SECONDS));
        }

        assertThat(Duration.ofNanos(longest)).isLessThan(TIMEOUT.multipliedBy(2).minusMillis(50));
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
        CompletableFuture<String> answer = new CompletableFuture<>();
        this.timeouts.limit(answer);
        return answer;
    }
}

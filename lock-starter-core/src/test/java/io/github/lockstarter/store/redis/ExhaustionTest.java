package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.store.redis.ConnectedStore.acquire;
import static io.github.lockstarter.store.redis.ConnectedStore.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.redis.ConnectedStore.Way;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The system refuses threads for a moment, or a thread has no stack left: whatever is tried afterwards works. */
@RedisTest
@Timeout(120)
class ExhaustionTest {

    private static final Duration TIMEOUT = Duration.ofMillis(500);

    /** Refuses the first threads, as a system does that has reached its limit. */
    private static ThreadFactory refusing(int count) {
        AtomicInteger left = new AtomicInteger(count);
        return task -> new Thread(task) {

            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized")
            public void start() {
                if (left.getAndDecrement() > 0) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                super.start();
            }
        };
    }

    @Test
    void shouldExecuteCallsAfterAThreadWasRefused() {
        BackgroundCalls calls = new BackgroundCalls(TIMEOUT, refusing(1));

        assertThat(calls.submit(() -> "refused", "lock 'a'"))
                .isCompletedExceptionally()
                .failsWithin(TIMEOUT)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(LockStoreException.class, ExhaustionTest::assertThatNothingWasSent);
        assertThat(calls.submit(() -> "executed", "lock 'a'"))
                .succeedsWithin(Duration.ofSeconds(10))
                .isEqualTo("executed");
        calls.stop();
        assertThat(calls.submit(() -> "stopped", "lock 'a'")).isCompletedExceptionally();
    }

    private static void assertThatNothingWasSent(LockStoreException failure) {
        assertThat(failure.isOutcomeUnknown()).isFalse();
        assertThat(failure.isTransient()).isTrue();
        assertThat(failure).hasMessageContaining("'a'");
    }

    /** There is no other call that would find it in the queue. */
    @Test
    void shouldNotExecuteACallThatBeginsTooLate() {
        // Longer than a busy machine needs to occupy all threads.
        Duration timeout = Duration.ofSeconds(1);
        BackgroundCalls calls = new BackgroundCalls(timeout, refusing(0));
        CompletableFuture<String> blocked = new CompletableFuture<>();
        for (int i = 0; i < 8; i++) {
            CompletableFuture<String> unused = calls.submit(blocked::join, "lock 'b'");
        }
        AtomicInteger executions = new AtomicInteger();
        CompletableFuture<Integer> late = calls.submit(executions::incrementAndGet, "lock 'a'");
        await().pollDelay(timeout.plusMillis(50)).until(() -> true);

        blocked.complete("begun");

        assertThat(late)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(LockStoreException.class, ExhaustionTest::assertThatNothingWasSent);
        assertThat(executions).hasValue(0);
        calls.stop();
    }

    private static BackgroundCalls occupied(CompletableFuture<String> blocked) {
        BackgroundCalls calls = new BackgroundCalls(TIMEOUT, refusing(0));
        for (int i = 0; i < 8; i++) {
            CompletableFuture<String> unused = calls.submit(blocked::join, "lock 'b'");
        }
        return calls;
    }

    /** All threads are occupied by calls that do not return. */
    @Test
    void shouldFailACallThatIsTooLateWithTheNextCall() {
        CompletableFuture<String> blocked = new CompletableFuture<>();
        BackgroundCalls calls = occupied(blocked);
        CompletableFuture<String> late = calls.submit(() -> "late", "lock 'a'");
        await().pollDelay(TIMEOUT.plusMillis(50)).until(() -> true);

        CompletableFuture<String> next = calls.submit(() -> "next", "lock 'c'");

        assertThat(late)
                .as("a call that has waited for longer than the command timeout")
                .isCompletedExceptionally()
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(LockStoreException.class, ExhaustionTest::assertThatNothingWasSent);
        assertThat(next).as("a call that may still begin").isNotDone();
        blocked.complete("begun");
        calls.stop();
    }

    @Test
    void shouldFailCallsThatHaveNotBegunAtTheStop() {
        CompletableFuture<String> blocked = new CompletableFuture<>();
        BackgroundCalls calls = occupied(blocked);
        CompletableFuture<String> waiting = calls.submit(() -> "waiting", "lock 'a'");

        calls.stop();

        assertThat(waiting)
                .as("a call that has not begun when the store is stopped")
                .isCompletedExceptionally()
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(LockStoreException.class, ExhaustionTest::assertThatNothingWasSent);
        blocked.complete("begun");
    }

    /** Tries commands at all depths in which a stack may be exhausted. */
    @Test
    void shouldGoOnAfterTheStackWasExhausted(FaultProxy proxy) throws Exception {
        try (ConnectedStore store = new ConnectedStore(
                        "one",
                        Servers.at("127.0.0.1", proxy.port()),
                        new RedisStoreSettings("lock", TIMEOUT, true, Duration.ofSeconds(5)))
                .connected()) {
            DeepCalls deep = new DeepCalls(store.store());
            Thread thread = new Thread(null, deep, "deep", 256 * 1024);
            thread.start();
            thread.join();

            assertThat(deep.sent).hasSizeGreaterThan(100).allSatisfy(reply -> soon().until(reply::isDone));
            soon().ignoreExceptionsInstanceOf(LockStoreException.class)
                    .until(() -> store.execute(Way.CALL, acquire("called", "me")) instanceof Reply.Granted);
            soon().ignoreExceptionsInstanceOf(LockStoreException.class)
                    .until(() -> store.execute(Way.SEND, join("called", "you")) instanceof Reply.Taken taken
                            && taken.pollMillis() > 0);
            try (Hold held = proxy.holdReply(Commands.with("lock:{late}"))) {
                LockStoreException late = store.failure(Way.SEND, acquire("late", "me"));
                assertThat(late.isOutcomeUnknown()).as("timeouts work").isTrue();
                assertThat(late).as("failures are explained").hasMessageContaining("'late'");
            }
            proxy.cutRst();
            soon().ignoreExceptionsInstanceOf(LockStoreException.class)
                    .until(() -> store.execute(Way.SEND, acquire("again", "me")) instanceof Reply.Granted);
        }
    }

    /**
     * Executes commands on each level of a recursion that has reached the end of the stack, from the last one upwards.
     */
    private static final class DeepCalls implements Runnable {

        private final RedisLockStore store;

        private final List<CompletableFuture<Reply>> sent = new ArrayList<>(1000);

        private int left = 1000;

        DeepCalls(RedisLockStore store) {
            this.store = store;
        }

        @Override
        @SuppressWarnings("InfiniteRecursion")
        public void run() {
            try {
                run();
            } catch (StackOverflowError ex) {
                // The last level.
            }
            if (this.left-- > 0) {
                try {
                    execute(new Command.Acquire("deep-" + this.left, "me", 60_000, this.left % 3 == 0));
                } catch (StackOverflowError | LockStoreException ex) {
                    // There is no room even for the call itself, or it was tried in vain.
                }
            }
        }

        private void execute(Command command) {
            if (this.left % 50 == 0) {
                Reply unused = this.store.call(command);
            } else {
                this.sent.add(this.store.send(command).toCompletableFuture());
            }
        }
    }
}

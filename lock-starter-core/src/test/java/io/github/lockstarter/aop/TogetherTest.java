package io.github.lockstarter.aop;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.fixture.ForwardingStore;
import io.github.lockstarter.fixture.Waiting;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** The locks of one call are requested together, and none of them is held while the call waits for a smaller name. */
@Timeout(120)
class TogetherTest {

    private static final int LONG = 60_000;

    /** Of commands, for calls in which a reply is missing. */
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final DelayedStore store = new DelayedStore();

    private final LockedContext app = LockedContext.on(
            this.store,
            LockSettings.of(
                    Duration.ofSeconds(10), OnLost.THROW, Duration.ofSeconds(20), null, null, TIMEOUT, null, TIMEOUT),
            Transfers.class);

    private final Transfers transfers = this.app.getBean(Transfers.class);

    /** The kind of result of the method. */
    enum Way {
        DIRECT,
        FUTURE,
        MONO;

        /** Calls the method in another thread. */
        CompletableFuture<Void> start(Transfers transfers, Runnable body, String... keys) {
            return Waiting.inThread(() -> {
                call(transfers, body, keys);
                return null;
            });
        }

        void call(Transfers transfers, Runnable body, String... keys) {
            switch (this) {
                case DIRECT -> transfers.direct(List.of(keys), body);
                case FUTURE -> transfers.future(List.of(keys), body).join();
                default -> transfers.mono(List.of(keys), body).block();
            }
        }
    }

    /** A store whose replies to commands that do not block can be held back. */
    private static final class DelayedStore extends ForwardingStore {

        private final Queue<Runnable> replies = new ConcurrentLinkedQueue<>();

        private final Queue<String> requested = new ConcurrentLinkedQueue<>();

        /** The lock whose first attempt has no reply; null for none. */
        private final AtomicReference<String> silent = new AtomicReference<>();

        /** Decides by the name of the lock whether a reply is held back. */
        private volatile Predicate<String> isHeldBack = lock -> false;

        DelayedStore() {
            super(new InMemoryLockStore());
        }

        @Override
        public Reply call(Command command) {
            note(command);
            return super.call(command);
        }

        @Override
        public CompletionStage<Reply> send(Command command) {
            note(command);
            CompletionStage<Reply> reply = super.send(command);
            if (command instanceof Command.Acquire acquire
                    && acquire.lock().equals(this.silent.get())
                    && this.silent.getAndSet(null) != null) {
                return CompletableFuture.failedFuture(new LockStoreException("No reply.", null, true, true));
            }
            if (!(command instanceof Command.Acquire attempt) || !this.isHeldBack.test(attempt.lock())) {
                return reply;
            }
            CompletableFuture<Reply> later = new CompletableFuture<>();
            this.replies.add(() -> later.complete(reply.toCompletableFuture().join()));
            return later;
        }

        LockStore shared() {
            return this.store;
        }

        private void note(Command command) {
            if (command instanceof Command.Acquire acquire) {
                this.requested.add(acquire.lock());
            }
        }

        void deliver() {
            this.isHeldBack = lock -> false;
            for (Runnable reply = this.replies.poll(); reply != null; reply = this.replies.poll()) {
                reply.run();
            }
        }
    }

    @AfterEach
    void stop() {
        this.store.deliver();
        assertReleased("a", "b", "c", "d");
        this.app.close();
    }

    @ParameterizedTest
    @EnumSource
    void shouldRequestAllBeforeAReplyArrives(Way way) {
        this.store.isHeldBack = lock -> true;
        CompletableFuture<Void> call = way.start(this.transfers, () -> {}, "c", "a", "b");

        soon().untilAsserted(() ->
                assertThat(this.store.requested).containsExactly("transfer:a", "transfer:b", "transfer:c"));
        this.store.deliver();
        assertThat(call).succeedsWithin(Waiting.LIMIT);
        assertThat(this.store.requested).as("requests in all").hasSize(3);
    }

    @ParameterizedTest
    @EnumSource
    void shouldWaitWithSmallerNamesOnly(Way way) throws Exception {
        Lease taken = take("transfer:b");
        CompletableFuture<Boolean> ranUnderAll = new CompletableFuture<>();
        CompletableFuture<Void> call =
                way.start(this.transfers, () -> ranUnderAll.complete(areHeld("a", "b", "c", "d")), "a", "b", "c", "d");

        soon().until(() -> this.app.registry.awaited("transfer:b").isPresent() && this.app.isLocked("transfer:a"));
        for (String behind : List.of("transfer:c", "transfer:d")) {
            soon().untilAsserted(() -> assertThat(this.app.isLocked(behind)).isFalse());
        }
        taken.close();
        assertThat(call).succeedsWithin(Waiting.LIMIT);
        assertThat(ranUnderAll).isCompletedWithValue(true);
    }

    @ParameterizedTest
    @EnumSource
    void shouldTryOnceWithoutAWaitTime(Way way) throws Exception {
        try (LockedContext another = LockedContext.on(this.store.shared(), LockSettings.of(Duration.ofSeconds(30)));
                Lease taken = another.registry.acquire(LockRequest.of("transfer:b"))) {
            this.store.requested.clear();
            Throwable refusal = unwrapped(catchThrowable(() -> way.call(this.transfers, Transfers.AT_ONCE, "a", "b")));

            assertThat(refusal)
                    .isInstanceOf(LockNotGrantedException.class)
                    .hasMessageContainingAll("'transfer:b' is held by ", "Tried once.");
            assertThat(this.store.requested).containsExactly("transfer:a", "transfer:b");
            assertThat(taken.isHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAskAgainForALockWhoseAttemptHasNoReply(Way way) {
        this.store.silent.set("transfer:b");

        way.call(this.transfers, () -> assertThat(areHeld("a", "b", "c")).isTrue(), "a", "b", "c");
    }

    @Test
    void shouldNotAttemptALockThatTheThreadHolds() {
        this.app.registry.executeWithoutResult(LockRequest.of("transfer:b"), lease -> {
            this.store.requested.clear();
            Way.DIRECT.call(this.transfers, () -> {}, "a", "b", "c");
        });

        assertThat(this.store.requested).containsExactlyInAnyOrder("transfer:a", "transfer:c");
    }

    @ParameterizedTest
    @EnumSource
    void shouldReportAnAttemptWithoutAReply(Way way) {
        this.store.silent.set("transfer:b");

        assertThat(unwrapped(catchThrowable(() -> way.call(this.transfers, Transfers.AT_ONCE, "a", "b"))))
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        ex -> assertThat(ex.isOutcomeUnknown()).isTrue())
                .hasMessageContaining("No reply.");
    }

    /** The first lock is granted, and the reply about the second one is missing. */
    @ParameterizedTest
    @EnumSource(names = {"DIRECT", "FUTURE"})
    void shouldLeaveNothingAfterAnInterrupt(Way way) throws Exception {
        this.store.isHeldBack = "transfer:b"::equals;
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread caller = new Thread(
                () -> thrown.complete(catchThrowable(() -> way.call(this.transfers, () -> {}, "a", "b", "c"))));
        caller.start();
        soon().until(() -> this.store.replies.size() == 1 && areHeld("a", "c"));

        caller.interrupt();

        assertThat(unwrapped(Waiting.get(thrown)))
                .isInstanceOf(LockInterruptedException.class)
                .hasMessageContainingAll(
                        "Interrupted while waiting for lock 'transfer:a' of ", "the method was not run");
        assertReleased("a", "c");
    }

    @Test
    void shouldLeaveNothingAfterACancellation() {
        this.store.isHeldBack = "transfer:b"::equals;
        CompletableFuture<Boolean> ran = new CompletableFuture<>();
        Disposable subscription = this.transfers
                .mono(List.of("a", "b", "c"), () -> ran.complete(true))
                .subscribe();
        soon().until(() -> this.store.replies.size() == 1 && areHeld("a", "c"));

        subscription.dispose();

        assertReleased("a", "c");
        assertThat(ran).isNotDone();
    }

    private void assertReleased(String... keys) {
        for (String key : keys) {
            soon().untilAsserted(() -> assertThat(this.app.isLocked("transfer:" + key))
                    .as("Lock " + key + " is held after the end of the call")
                    .isFalse());
        }
    }

    private boolean areHeld(String... keys) {
        return List.of(keys).stream().allMatch(key -> this.app.isLocked("transfer:" + key));
    }

    private Lease take(String lockName) throws InterruptedException {
        return this.app.registry.acquire(LockRequest.of(lockName));
    }

    private static Throwable unwrapped(Throwable thrown) {
        return thrown instanceof CompletionException ? thrown.getCause() : thrown;
    }

    static class Transfers {

        /** The body of calls that do not wait. */
        static final Runnable AT_ONCE = () -> {};

        @DistributedLock(name = "transfer", key = "#keys", waitTime = LONG, condition = "!#root.target.isAtOnce(#body)")
        @DistributedLock(name = "transfer", key = "#keys", waitTime = 0, condition = "#root.target.isAtOnce(#body)")
        public void direct(List<String> keys, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "transfer", key = "#keys", waitTime = LONG, condition = "!#root.target.isAtOnce(#body)")
        @DistributedLock(name = "transfer", key = "#keys", waitTime = 0, condition = "#root.target.isAtOnce(#body)")
        public CompletableFuture<Void> future(List<String> keys, Runnable body) {
            return CompletableFuture.runAsync(body);
        }

        @DistributedLock(name = "transfer", key = "#keys", waitTime = LONG, condition = "!#root.target.isAtOnce(#body)")
        @DistributedLock(name = "transfer", key = "#keys", waitTime = 0, condition = "#root.target.isAtOnce(#body)")
        public Mono<Void> mono(List<String> keys, Runnable body) {
            return Mono.fromRunnable(body);
        }

        public boolean isAtOnce(Runnable body) {
            return body == AT_ONCE;
        }
    }
}

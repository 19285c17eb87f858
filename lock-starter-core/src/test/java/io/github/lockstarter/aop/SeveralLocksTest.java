package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockKeyException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** A call that acquires more than one lock acquires all of them or none. */
@Timeout(120)
class SeveralLocksTest {

    private static final long MIN_HOLD = 500;

    @AutoClose
    private static final LockedContext app = LockedContext.of(Transfers.class);

    private final Transfers transfers = app.getBean(Transfers.class);

    /** The kind of result of the method. */
    enum Way {
        DIRECT,
        FUTURE,
        MONO;

        /** Returns the exception of a call; null if it succeeds. */
        Throwable call(Transfers transfers, boolean kept, List<String> keys) {
            Throwable thrown = catchThrowable(() -> {
                switch (this) {
                    case DIRECT -> transfers.run(kept, keys);
                    case FUTURE ->
                        transfers
                                .future(kept, keys)
                                .orTimeout(60, TimeUnit.SECONDS)
                                .join();
                    default -> transfers.mono(kept, keys).block(Duration.ofSeconds(60));
                }
            });
            return thrown instanceof CompletionException ? thrown.getCause() : thrown;
        }
    }

    @BeforeEach
    void reset() {
        this.transfers.runs().set(0);
    }

    @Test
    void shouldAcquireOneLockForEachKeySortedByName() {
        List<String> events = app.calls.events;
        events.clear();
        this.transfers.move(List.of("c", "a", "b", "a"));
        assertThat(events)
                .containsExactly(
                        "lock account:a",
                        "lock account:b",
                        "lock account:c",
                        "unlock account:c",
                        "unlock account:b",
                        "unlock account:a");
        events.clear();
        this.transfers.book("b", "a", true);
        this.transfers.book("b", "a", false);
        this.transfers.ship("7");
        assertThat(events.stream().filter(event -> event.startsWith("lock")))
                .containsExactly("lock account:a", "lock account:b", "lock account:b", "lock order:7", "lock stock");
    }

    @Test
    void shouldRejectKeysThatCannotBeLocked() {
        assertThatThrownBy(() -> this.transfers.move(List.of()))
                .isInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("is an empty collection");
        assertThatThrownBy(() -> this.transfers.move(List.of("a", " ")))
                .isInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("gave several keys, of which number 2 of 2 is blank");
        assertThatThrownBy(() -> this.transfers.book("a", null, true))
                .isInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining(
                        ".book(String, String, boolean) gave several keys, of which number 2 of 2 is null");
        assertThatThrownBy(() -> this.transfers.move(null))
                .hasMessageContaining(".move(Collection) is null: all calls without a value");
        this.transfers.move(accounts(256));
        assertThatThrownBy(() -> this.transfers.move(accounts(257)))
                .isInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("257 locks, such as 'account', which exceeds the maximum of 256");
        assertThat(this.transfers.runs()).hasValue(1);
    }

    private static List<String> accounts(int count) {
        return IntStream.range(0, count).mapToObj(String::valueOf).toList();
    }

    @ParameterizedTest
    @EnumSource
    void shouldReleaseAllIfOneIsNotGranted(Way way) {
        app.takenByAnother("transfer:b", () -> {
            long began = System.nanoTime();
            assertThat(way.call(this.transfers, true, List.of("a", "b", "c")))
                    .isInstanceOf(LockNotGrantedException.class)
                    .hasMessageContaining("'transfer:b'");
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(250));
            assertThat(app.isLocked("transfer:a"))
                    .as("without its minimum hold")
                    .isFalse();
            assertThat(app.isLocked("transfer:c")).isFalse();
        });
        assertThat(this.transfers.runs()).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepAllForTheMinimumHoldOnceTheMethodHasRun(Way way) {
        long began = System.nanoTime();
        assertThat(way.call(this.transfers, true, List.of("a", "b"))).isNull();

        assertThat(app.isLocked("transfer:a")).isTrue();
        assertThat(app.isLocked("transfer:b")).isTrue();
        await().until(() -> !app.isLocked("transfer:a") && !app.isLocked("transfer:b"));
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(Duration.ofMillis(MIN_HOLD));
    }

    @Test
    void shouldNotKeepALockThatTheCallerHeldBefore() {
        app.registry.executeWithoutResult(
                LockRequest.of("transfer:a"),
                lease -> app.takenByAnother(
                        "transfer:b",
                        () -> assertThat(Way.DIRECT.call(this.transfers, true, List.of("a", "b")))
                                .isInstanceOf(LockNotGrantedException.class)));

        assertThat(app.isLocked("transfer:a")).isFalse();
    }

    /** It loses the first of them while it waits for the second. */
    @ParameterizedTest
    @EnumSource
    void shouldNotRunTheMethodIfALockIsLostBefore(Way way) {
        Throwable loss = whileTheFirstIsLost(() -> way.call(this.transfers, false, List.of("x", "y")));

        assertThat(loss)
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        lost -> assertThat(lost.lockName()).isEqualTo("transfer:x"));
        // On a busy machine, the other lease may expire as well before its release.
        assertThat(loss.getSuppressed())
                .filteredOn(LockLostException.class::isInstance)
                .as("reported once")
                .allSatisfy(other ->
                        assertThat(((LockLostException) other).lockName()).isEqualTo("transfer:y"));
        assertThat(this.transfers.runs()).hasValue(0);
        await().until(() -> !app.isLocked("transfer:y"));
    }

    @Test
    void shouldRunTheMethodIfLossesAreIgnored() {
        assertThat(whileTheFirstIsLost(() -> catchThrowable(() -> this.transfers.ignoring(List.of("x", "y")))))
                .isNull();
        assertThat(this.transfers.runs()).hasValue(1);
    }

    private static Throwable whileTheFirstIsLost(Supplier<Throwable> call) {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        app.takenByAnother("transfer:y", () -> {
            new Thread(() -> thrown.complete(call.get())).start();
            // Behind the first one, whose short lease may be over before it is looked at.
            await().until(() -> app.registry.awaited("transfer:y").isPresent());
            await().until(() -> !app.isLocked("transfer:x"));
        });
        return thrown.orTimeout(60, TimeUnit.SECONDS).join();
    }

    static class Transfers {

        private final AtomicInteger runs = new AtomicInteger();

        AtomicInteger runs() {
            return this.runs;
        }

        @DistributedLock(name = "account", key = "#accounts")
        public void move(Collection<String> accounts) {
            this.runs.incrementAndGet();
        }

        @DistributedLock(name = "account", key = "#both ? {#from, #to} : {#from}")
        public void book(String from, String to, boolean both) {}

        @DistributedLock(name = "stock")
        @DistributedLock(name = "order", key = "#order")
        public void ship(String order) {}

        @DistributedLock(name = "transfer", key = "#keys", waitTime = 300, minHold = MIN_HOLD, condition = "#kept")
        @DistributedLock(name = "transfer", key = "#keys", waitTime = 10_000, lease = 300, condition = "!#kept")
        public void run(boolean kept, List<String> keys) {
            this.runs.incrementAndGet();
        }

        @DistributedLock(name = "transfer", key = "#keys", waitTime = 300, minHold = MIN_HOLD, condition = "#kept")
        @DistributedLock(name = "transfer", key = "#keys", waitTime = 10_000, lease = 300, condition = "!#kept")
        public CompletableFuture<Integer> future(boolean kept, List<String> keys) {
            return CompletableFuture.completedFuture(this.runs.incrementAndGet());
        }

        @DistributedLock(name = "transfer", key = "#keys", waitTime = 300, minHold = MIN_HOLD, condition = "#kept")
        @DistributedLock(name = "transfer", key = "#keys", waitTime = 10_000, lease = 300, condition = "!#kept")
        public Mono<Integer> mono(boolean kept, List<String> keys) {
            return Mono.just(this.runs.incrementAndGet());
        }

        @DistributedLock(
                name = "transfer",
                key = "#keys",
                lease = 300,
                waitTime = 10_000,
                minHold = 10,
                onLost = OnLost.IGNORE)
        public void ignoring(List<String> keys) {
            this.runs.incrementAndGet();
        }
    }
}

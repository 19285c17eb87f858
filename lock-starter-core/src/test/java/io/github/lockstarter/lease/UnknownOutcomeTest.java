package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.AcquireReply;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replies that are lost: never a plain "taken", never a lock that nobody has. */
class UnknownOutcomeTest extends PuppetRegistry {

    private final Gate gate = new Gate();

    @AfterEach
    void open() {
        this.gate.open();
        Thread.interrupted();
    }

    /** The next acquires are executed, but their replies are lost. */
    private void loseReplies(int count) {
        AtomicInteger left = new AtomicInteger(count);
        store().onAcquire(real -> {
            AcquireReply reply = real.make();
            if (left.getAndDecrement() > 0) {
                throw Failures.unanswered();
            }
            return reply;
        });
    }

    @Test
    void shouldGetItsOwnGrantWhenItAsksAgain() throws Exception {
        LeasingLockRegistry registry = registry();
        loseReplies(3);

        Lease lease = registry.acquire(request());

        assertThat(store().acquisitionIds()).hasSize(4);
        assertThat(new HashSet<>(store().acquisitionIds())).hasSize(1);
        assertThat(lease.release()).isTrue();
        assertThat(store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldTakeBackWhatItMayHaveGot() {
        LeasingLockRegistry registry = registry(settings(LONG, Duration.ZERO), LeaseClock.SYSTEM);
        loseReplies(1);

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> registry.tryAcquire(request().withWaitTime(Duration.ZERO)))
                .withMessageContaining("unanswered")
                .satisfies(ex -> assertThat(ex.isOutcomeUnknown()).isTrue());

        eventually().until(() -> !store().isLocked(NAME));
    }

    @Test
    void shouldTakeBackWhatAnInterruptedCallMayHaveGot() {
        LeasingLockRegistry registry = registry(settings(LONG, Duration.ZERO), LeaseClock.SYSTEM);
        store().onAcquire(real -> {
            real.make();
            Thread.currentThread().interrupt();
            throw Failures.unanswered();
        });

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> registry.acquire(request()));

        eventually().until(() -> !store().isLocked(NAME));
    }

    @Test
    void shouldNotSayThatItIsTakenWhenTheStoreHasNotAnsweredYet() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG, Duration.ZERO), LeaseClock.SYSTEM);
        store().onAcquire(real -> {
            this.gate.pass();
            return real.make();
        });

        CompletableFuture<Lease> lease = registry.acquireAsync(request().withWaitTime(Duration.ofMillis(200)));
        this.gate.awaitSomebody();

        assertThat(catchThrowable(() -> lease.get(20, TimeUnit.SECONDS))).hasCauseInstanceOf(LockStoreException.class);
        this.gate.open();
        eventually().until(() -> registry.waiting() == 0 && !store().isLocked(NAME));
    }

    /** Who waits behind a neighbour that gets no answer knows as little as that one. */
    @Test
    void shouldNotSayThatItIsTakenWhenANeighbourGetsNoAnswer() throws Exception {
        LeasingLockRegistry registry = registry();
        store().onAcquire(real -> {
            throw Failures.refused();
        });
        CompletableFuture<Lease> neighbour = registry.acquireAsync(request().withWaitTime(LONG));
        eventually().until(() -> !store().acquisitionIds().isEmpty());

        Throwable thrown = catchThrowable(() -> {
            Optional<Lease> taken = registry.tryAcquire(request().withWaitTime(Duration.ofMillis(300)));
            assertThat(taken).isEmpty();
        });

        neighbour.cancel(false);
        assertThat(thrown).isInstanceOf(LockStoreException.class);
    }

    @Test
    void shouldFailAtOnceWhenWaitingDoesNotHelp() {
        LeasingLockRegistry registry = registry();
        store().onAcquire(real -> {
            throw Failures.hopeless();
        });

        for (Duration wait : List.of(Duration.ZERO, LONG, LockRequest.FOREVER)) {
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> registry.acquire(request().withWaitTime(wait)))
                    .satisfies(ex -> assertThat(ex.isOutcomeUnknown()).isFalse());
            assertThat(catchThrowable(() ->
                            registry.acquireAsync(request().withWaitTime(wait)).get(20, TimeUnit.SECONDS)))
                    .hasCauseInstanceOf(LockStoreException.class);
        }
        assertThat(store().acquisitionIds()).hasSize(6);
    }

    @Test
    void shouldGoOnTryingForAsLongAsItMayWait() throws Exception {
        LeasingLockRegistry registry = registry();
        store().onAcquire(real -> {
            throw Failures.refused();
        });
        CompletableFuture<Lease> waiting = registry.acquireAsync(request().withWaitTime(LONG));
        long start = System.nanoTime();
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> registry.acquire(LockRequest.of("orders:1").withWaitTime(Duration.ofMillis(300))));
        assertThat(System.nanoTime() - start)
                .isGreaterThanOrEqualTo(Duration.ofMillis(300).toNanos());
        assertThat(waiting).isNotDone();

        store().onAcquire(PuppetStore.Call::make);

        assertThat(waiting.get(20, TimeUnit.SECONDS).release()).isTrue();
    }

    @Test
    void shouldTreatABrokenStoreAsOneThatDidNotAnswer() {
        LeasingLockRegistry registry = registry();
        store().onAcquire(real -> {
            throw new IllegalStateException("broken");
        });

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> registry.acquire(request()))
                .withMessageContainingAll(NAME, "broken")
                .satisfies(ex -> assertThat(ex.isOutcomeUnknown()).isTrue());
    }
}

package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.failureOf;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.throughout;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Actor;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a thread does with a lock: exclusion, waits, holds, interrupts, and taking it away by force. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class LockContract extends RegistryFixture {

    @AfterEach
    void clearFlag() {
        Thread.interrupted();
    }

    @Test
    void shouldNotLetAThreadUnlockWhatItNeverHeld() throws Exception {
        LeasingLockRegistry registry = registry();
        LeaseLock lock = registry.getLock(NAME);
        LeaseLock there = registry().getLock(NAME);
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessageContainingAll(NAME, Thread.currentThread().getName());
        Actor owner = actor();
        owner.execute(lock::lock);

        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessageContainingAll("locked by another thread", "LockRegistry.acquire");
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(there::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::currentLease);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(registry.getLock("orders:43")::unlock);

        assertThat(owner.ask(lock::isHeldByCurrentThread)).isTrue();
        assertThat(there.isLocked()).isTrue();
        owner.execute(lock::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> owner.execute(lock::unlock));
    }

    @Test
    void shouldHaveNoConditions() {
        LeaseLock lock = registry().getLock(NAME);

        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(lock::newCondition)
                .withMessageContainingAll(NAME, "a queue or a topic");
    }

    @Test
    void shouldTryOnceForAWaitOfZeroOrLess() throws Exception {
        LeaseLock taken = registry(settings(LONG)).getLock(NAME);
        LeaseLock lock = registry(settings(LONG)).getLock(NAME);
        taken.lock();
        long commands = backend().commands();
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isFalse();
        assertThat(lock.tryLock(-5, TimeUnit.DAYS)).isFalse();
        assertThat(lock.tryLock(Duration.ZERO)).isFalse();
        assertThat(lock.tryLock(Duration.ZERO, LONG)).isFalse();
        assertThat(backend().commands() - commands).isEqualTo(5);
        assertThat(lock.getHoldCount()).isZero();
        taken.unlock();
        assertThat(lock.tryLock(-5, TimeUnit.DAYS)).isTrue();
        lock.unlock();
    }

    @Test
    void shouldTakeAnyTimeThatALockTakes() throws Exception {
        LeaseLock lock = registry().getLock(NAME);

        assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.NANOSECONDS)).isTrue();
        assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();

        lock.unlock();
        lock.unlock();
    }

    @Test
    void shouldRefuseNegativeTimesOtherThanMinusOne() {
        LeaseLock lock = registry().getLock(NAME);

        assertThatIllegalArgumentException().isThrownBy(() -> lock.tryLock(Duration.ofMillis(-2)));
        assertThatIllegalArgumentException().isThrownBy(() -> lock.tryLock(Duration.ofMillis(-2), LONG));
        assertThatIllegalArgumentException().isThrownBy(() -> lock.tryLock(Duration.ZERO, Duration.ofMillis(-2)));
        assertThatIllegalArgumentException().isThrownBy(() -> lock.tryLock(Duration.ZERO, Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> lock.lock(Duration.ofNanos(999_999)));

        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void shouldReenterWithoutACommand() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG));
        LeaseLock lock = registry.getLock(NAME);
        LeaseLock there = registry().getLock(NAME);
        lock.lock();
        long token = lock.currentLease().fencingToken();
        long commands = backend().commands();
        for (int i = 0; i < 25_000; i++) {
            registry.getLock(NAME).lock();
            lock.lockInterruptibly();
            assertThat(lock.tryLock()).isTrue();
            assertThat(lock.tryLock(Duration.ofSeconds(1), Duration.ofSeconds(5)))
                    .isTrue();
            registry.<RuntimeException>executeWithoutResult(
                    request(), lease -> assertThat(lease.fencingToken()).isEqualTo(token));
        }
        for (int holds = 100_001; holds > 1; holds--) {
            assertThat(lock.getHoldCount()).isEqualTo(holds);
            lock.unlock();
        }
        assertThat(backend().commands()).isEqualTo(commands);
        assertThat(there.tryLock()).isFalse();
        lock.unlock();
        assertThat(there.tryLock()).isTrue();
        assertThat(there.currentLease().fencingToken()).isGreaterThan(token);
        there.unlock();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void shouldSayWhetherThereWasALockToTakeAway() {
        LeaseLock here = registry(settings(LONG)).getLock(NAME);
        LeaseLock there = registry().getLock(NAME);
        assertThat(there.isLocked()).isFalse();
        assertThat(there.forceUnlock()).isFalse();

        here.lock();

        assertThat(there.isLocked()).isTrue();
        assertThat(here.isLocked()).isTrue();
        assertThat(there.forceUnlock()).isTrue();
        assertThat(there.forceUnlock()).isFalse();
        assertThat(there.isLocked()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(here::unlock);
    }

    @Test
    void shouldReportTheLossAtTheOutermostHoldOnly() {
        LeaseLock here = registry().getLock(NAME);
        here.lock();
        here.lock();
        here.lock();
        long token = here.currentLease().fencingToken();
        registry().getLock(NAME).forceUnlock();
        soon().until(() -> !here.isHeldByCurrentThread());

        here.unlock();
        here.unlock();

        assertThat(here.getHoldCount()).isEqualTo(1);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(here::unlock)
                .withMessageContainingAll(NAME, String.valueOf(token))
                .satisfies(ex -> {
                    assertThat(ex.lockName()).isEqualTo(NAME);
                    assertThat(ex.fencingToken()).isEqualTo(token);
                    assertThat(ex.reason()).isIn(LossReason.REVOKED, LossReason.DELETED);
                });
        assertThat(here.getHoldCount()).isZero();
        assertThat(here.tryLock()).isTrue();
        assertThat(here.currentLease().fencingToken()).isGreaterThan(token);
        here.unlock();
    }

    @Test
    void shouldWakeThoseWhoWait() throws Exception {
        LeaseLock here = registry(withoutPolling(LONG)).getLock(NAME);
        LeasingLockRegistry there = registry(withoutPolling(LONG));
        here.lock();
        CompletableFuture<Boolean> waited = actor().start(() -> {
            boolean mine = there.getLock(NAME).tryLock(LONG);
            there.getLock(NAME).unlock();
            return mine;
        });
        awaitWaiting(there, 1);

        assertThat(here.forceUnlock()).isTrue();

        assertThat(get(waited)).isTrue();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(here::unlock);
    }

    /** For a thread of this JVM, and for another instance. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEndAWaitByAnInterrupt(boolean isNeighbour) throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG));
        LeaseLock lock = registry.getLock(NAME);
        LeaseLock taken = isNeighbour ? lock : registry(settings(LONG)).getLock(NAME);
        AtomicBoolean ran = new AtomicBoolean();
        taken.lock();
        List<Callable<?>> waits = List.of(
                () -> {
                    lock.lockInterruptibly();
                    return true;
                },
                () -> lock.tryLock(LONG, LONG),
                () -> registry.acquire(request().withWaitTime(LONG)),
                () -> registry.tryAcquire(request().withWaitTime(LONG)),
                () -> {
                    try {
                        return registry.execute(request().withWaitTime(LONG), lease -> ran.getAndSet(true));
                    } catch (LockInterruptedException ex) {
                        assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
                        throw (InterruptedException) ex.getCause();
                    }
                });
        for (Callable<?> wait : waits) {
            Actor waiter = actor();
            CompletableFuture<?> end = waiter.start(wait);
            awaitWaiting(registry, 1);
            waiter.interrupt();
            assertThat(failureOf(end)).isInstanceOf(InterruptedException.class);
            awaitWaiting(registry, 0);
        }
        // A waiter that has left the line cannot be granted the lock in passing.
        awaitInLine(0);
        taken.unlock();
        assertThat(ran).isFalse();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void shouldNotBeginWhenInterruptedAlready() {
        LeasingLockRegistry registry = registry(settings(LONG));
        LeaseLock lock = registry.getLock(NAME);
        long commands = backend().commands();

        for (ThrowingCallable call : List.<ThrowingCallable>of(
                lock::lockInterruptibly,
                () -> lock.tryLock(LONG),
                () -> lock.tryLock(1, TimeUnit.SECONDS),
                () -> registry.acquire(request()),
                () -> registry.tryAcquire(request()))) {
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(call);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(LockInterruptedException.class)
                .isThrownBy(() -> registry.execute(request(), lease -> true));

        assertThat(Thread.interrupted()).as("the flag is left to the caller").isTrue();
        assertThat(backend().commands()).isEqualTo(commands);
        assertThat(lock.getHoldCount()).isZero();
    }

    @Test
    void shouldKeepTheFlagAndAcquireAllTheSame() throws Exception {
        LeaseLock taken = registry(settings(LONG)).getLock(NAME);
        LeasingLockRegistry registry = registry(settings(LONG));
        LeaseLock lock = registry.getLock(NAME);
        taken.lock();
        Actor waiter = actor();
        CompletableFuture<Boolean> flag = waiter.start(() -> {
            lock.lock();
            return Thread.interrupted();
        });
        awaitWaiting(registry, 1);

        waiter.interrupt();
        throughout(Duration.ofMillis(300)).until(() -> !flag.isDone());
        taken.unlock();

        assertThat(get(flag)).isTrue();
        assertThat(waiter.ask(lock::getHoldCount)).isEqualTo(1);
        waiter.execute(lock::unlock);
    }
}

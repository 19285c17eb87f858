package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.failureOf;
import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an interrupt ends, and what it must not end. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class LockInterruptContract extends RegistryFixture {

    LockInterruptContract(LockBackend backend) {
        super(backend);
    }

    @AfterEach
    void clearFlag() {
        Thread.interrupted();
    }

    @Test
    void shouldEndAWaitForANeighbour() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG));
        LeaseLock lock = registry.getLock(NAME);
        lock.lock();

        shouldBeEndedByAnInterrupt(registry, () -> {
            lock.lockInterruptibly();
            return true;
        });
        shouldBeEndedByAnInterrupt(registry, () -> lock.tryLock(60, TimeUnit.SECONDS));
        shouldBeEndedByAnInterrupt(registry, () -> registry.acquire(request().withWaitTime(LONG)));
        shouldBeEndedByAnInterrupt(registry, () -> registry.tryAcquire(request().withWaitTime(LONG)));

        lock.unlock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void shouldEndAWaitForTheStore() throws Exception {
        LeaseLock taken = registry(settings(LONG)).getLock(NAME);
        LeasingLockRegistry registry = registry(settings(LONG));
        LeaseLock lock = registry.getLock(NAME);
        taken.lock();

        shouldBeEndedByAnInterrupt(registry, () -> {
            lock.lockInterruptibly();
            return true;
        });
        shouldBeEndedByAnInterrupt(registry, () -> lock.tryLock(LONG, LONG));
        shouldBeEndedByAnInterrupt(registry, () -> registry.acquire(request().withWaitTime(LONG)));
        shouldBeEndedByAnInterrupt(registry, () -> registry.tryAcquire(request().withWaitTime(LONG)));

        // who has left the line cannot be granted the lock in passing
        awaitInLine(0);
        taken.unlock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    private void shouldBeEndedByAnInterrupt(LeasingLockRegistry registry, Callable<?> wait) {
        Actor waiter = actor();
        CompletableFuture<?> end = waiter.start(wait);
        awaitWaiting(registry, 1);

        waiter.interrupt();

        assertThat(failureOf(end)).isInstanceOf(InterruptedException.class);
        awaitWaiting(registry, 0);
    }

    @Test
    void shouldNotBeginWhenInterruptedAlready() {
        LeasingLockRegistry registry = registry(settings(LONG));
        LeaseLock lock = registry.getLock(NAME);
        long commands = backend().commands();

        shouldRefuseAnInterruptedThread(() -> {
            lock.lockInterruptibly();
            return true;
        });
        shouldRefuseAnInterruptedThread(() -> lock.tryLock(LONG));
        shouldRefuseAnInterruptedThread(() -> lock.tryLock(1, TimeUnit.SECONDS));
        shouldRefuseAnInterruptedThread(() -> registry.acquire(request()));
        shouldRefuseAnInterruptedThread(() -> registry.tryAcquire(request()));
        shouldRefuseToExecuteInAnInterruptedThread(registry);

        assertThat(backend().commands()).isEqualTo(commands);
        assertThat(lock.getHoldCount()).isZero();
    }

    private static void shouldRefuseAnInterruptedThread(Callable<?> call) {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(call::call);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** It throws no checked exception, and leaves the flag to the caller. */
    private static void shouldRefuseToExecuteInAnInterruptedThread(LeasingLockRegistry registry) {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(LockInterruptedException.class)
                .isThrownBy(() -> registry.execute(request(), lease -> true));
        assertThat(Thread.interrupted()).isTrue();
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
        Outcomes.throughout(Duration.ofMillis(300)).until(() -> !flag.isDone());
        taken.unlock();

        assertThat(get(flag)).isTrue();
        assertThat(waiter.ask(lock::getHoldCount)).isEqualTo(1);
        waiter.tell(lock::unlock);
    }
}

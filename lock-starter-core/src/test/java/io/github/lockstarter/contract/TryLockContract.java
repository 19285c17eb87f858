package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.contract.Outcomes.time;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How long {@code tryLock} waits, and what ends its wait. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class TryLockContract extends RegistryFixture {

    /** Less than any wait that goes wrong, more than a busy machine needs. */
    private static final Duration SOON = Duration.ofSeconds(5);

    TryLockContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldTryOnceAndSayThatTheLockIsTaken() throws Exception {
        LeaseLock taken = registry(settings(LONG)).getLock(NAME);
        LeaseLock lock = registry(settings(LONG)).getLock(NAME);
        taken.lock();
        long commands = backend().commands();

        assertThat(time(() -> assertThat(lock.tryLock()).isFalse())).isLessThan(SOON);

        assertThat(backend().commands() - commands).isEqualTo(1);
        assertThat(lock.getHoldCount()).isZero();
        taken.unlock();
    }

    @Test
    void shouldTryOnceForAWaitOfZeroOrLess() throws Exception {
        LeaseLock taken = registry(settings(LONG)).getLock(NAME);
        LeaseLock lock = registry(settings(LONG)).getLock(NAME);
        taken.lock();
        long commands = backend().commands();

        assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isFalse();
        assertThat(lock.tryLock(-5, TimeUnit.DAYS)).isFalse();
        assertThat(lock.tryLock(Duration.ZERO)).isFalse();
        assertThat(lock.tryLock(Duration.ZERO, LONG)).isFalse();

        assertThat(backend().commands() - commands).isEqualTo(4);
        taken.unlock();
        assertThat(lock.tryLock(-5, TimeUnit.DAYS)).isTrue();
        lock.unlock();
    }

    @Test
    void shouldGiveUpAtTheEndOfTheWait() throws Exception {
        LeasingLockRegistry here = registry();
        LeaseLock taken = here.getLock(NAME);
        taken.lock();
        Actor neighbour = actor();

        Duration there = time(() -> assertThat(registry().getLock(NAME).tryLock(400, TimeUnit.MILLISECONDS))
                .isFalse());
        Duration inTheQueue = neighbour.ask(() ->
                time(() -> assertThat(taken.tryLock(Duration.ofMillis(400))).isFalse()));

        assertThat(there).isBetween(Duration.ofMillis(400), SOON);
        assertThat(inTheQueue).isBetween(Duration.ofMillis(400), SOON);
        taken.unlock();
    }

    @Test
    void shouldGetWhatIsReleasedElsewhereWithoutPolling() throws Exception {
        LeaseLock taken = registry(withoutPolling(LONG)).getLock(NAME);
        LeasingLockRegistry there = registry(withoutPolling(LONG));
        LeaseLock lock = there.getLock(NAME);
        taken.lock();
        CompletableFuture<Duration> waited = actor().start(() -> {
            Duration time = time(() -> assertThat(lock.tryLock(LONG)).isTrue());
            lock.unlock();
            return time;
        });
        awaitWaiting(there, 1);

        taken.unlock();

        assertThat(get(waited)).isLessThan(SOON);
    }

    @Test
    void shouldGetWhatRunsOutMeanwhile() throws Exception {
        LeaseLock forgotten = registry().getLock(NAME);
        LeaseLock lock = registry(withoutPolling(LONG)).getLock(NAME);
        long start = System.nanoTime();
        forgotten.lock(Duration.ofMillis(600));

        assertThat(lock.tryLock(LONG)).isTrue();

        // the store counts whole milliseconds
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(598), SOON);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(forgotten::unlock);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }

    @Test
    void shouldWaitForEverIfAsked() throws Exception {
        LeaseLock taken = registry().getLock(NAME);
        LeasingLockRegistry there = registry();
        taken.lock();
        CompletableFuture<Boolean> waited = actor().start(() -> {
            boolean mine = there.getLock(NAME).tryLock(LockRequest.FOREVER, LONG);
            there.getLock(NAME).unlock();
            return mine;
        });

        Outcomes.throughout(Duration.ofMillis(500)).until(() -> !waited.isDone());
        taken.unlock();

        assertThat(get(waited)).isTrue();
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
}

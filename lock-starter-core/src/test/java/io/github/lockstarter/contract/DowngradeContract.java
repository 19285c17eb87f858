package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A writer that acquires the read lock keeps it when it unlocks the write lock, as in the JDK. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class DowngradeContract extends SharedFixture {

    DowngradeContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldGoOnReadingUnderTheSameToken() throws Exception {
        LeaseReadWriteLock lock = registry().getReadWriteLock(NAME);
        LeasingLockRegistry elsewhere = registry();
        lock.writeLock().lock();
        long token = lock.writeLock().currentLease().fencingToken();

        lock.readLock().lock();
        assertThat(elsewhere.tryAcquire(reader().withWaitTime(Duration.ZERO))).isEmpty();
        lock.writeLock().unlock();

        assertThat(lock.writeLock().isHeldByCurrentThread()).isFalse();
        assertThat(lock.writeLock().getHoldCount()).isZero();
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        assertThat(lock.readLock().currentLease().fencingToken()).isEqualTo(token);
        assertThat(elsewhere.tryAcquire(request().withWaitTime(Duration.ZERO))).isEmpty();
        Lease beside =
                elsewhere.tryAcquire(reader().withWaitTime(Duration.ZERO)).orElseThrow();
        assertThat(beside.fencingToken()).isGreaterThan(token);
        awaitRenewals(lock.readLock().currentLease());
        beside.release();
        lock.readLock().unlock();
        assertThat(backend().locked()).isEmpty();
    }

    @Test
    void shouldHaveTheLeaseThatTheReaderRequested() throws Exception {
        LeaseReadWriteLock lock = registry().getReadWriteLock(NAME);
        lock.writeLock().lock(Duration.ofSeconds(1));

        lock.readLock().lock();
        lock.writeLock().unlock();

        awaitRenewals(lock.readLock().currentLease());
        lock.readLock().unlock();
        assertThat(backend().locked()).isEmpty();
    }

    @Test
    void shouldLetWaitingReadersOfOtherInstancesIn() throws Exception {
        LeaseReadWriteLock lock = registry(quiet(NONE)).getReadWriteLock(NAME);
        lock.writeLock().lock();
        CompletableFuture<Lease> first = registry(quiet(NONE)).acquireAsync(reader());
        CompletableFuture<Lease> second = registry(quiet(NONE)).acquireAsync(reader());
        awaitInLine(2);

        lock.readLock().lock();
        lock.writeLock().unlock();

        assertThat(get(first).isHeld()).isTrue();
        assertThat(get(second).isHeld()).isTrue();
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        lock.readLock().unlock();
        get(first).release();
        get(second).release();
    }

    @Test
    void shouldStayTheWriterIfTheReadLockIsUnlockedFirst() throws Exception {
        LeaseReadWriteLock lock = registry(quiet(NONE)).getReadWriteLock(NAME);
        LeasingLockRegistry elsewhere = registry(quiet(NONE));
        long before = backend().commands();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.readLock().unlock();
        assertThat(lock.readLock().isHeldByCurrentThread()).isFalse();
        assertThat(lock.writeLock().isHeldByCurrentThread()).isTrue();
        assertThat(backend().commands()).as("nothing to ask").isEqualTo(before + 1);

        assertThat(elsewhere.tryAcquire(reader().withWaitTime(Duration.ZERO))).isEmpty();
        lock.writeLock().unlock();

        assertThat(backend().locked()).isEmpty();
    }

    @Test
    void shouldNotUpgradeAgain() {
        LeaseReadWriteLock lock = registry().getReadWriteLock(NAME);
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();

        assertThatIllegalStateException().isThrownBy(() -> lock.writeLock().lock());
        assertThatIllegalStateException().isThrownBy(() -> lock.writeLock().tryLock());

        lock.readLock().unlock();
    }

    @Test
    void shouldDowngradeAtTheEndOfABody() {
        LeasingLockRegistry registry = registry();
        LeaseLock reading = registry.getReadWriteLock(NAME).readLock();

        long token = registry.<Long, RuntimeException>execute(request(), lease -> {
            reading.lock();
            return lease.fencingToken();
        });

        assertThat(reading.isHeldByCurrentThread()).isTrue();
        assertThat(reading.currentLease().fencingToken()).isEqualTo(token);
        reading.unlock();
    }

    @Test
    void shouldReportALossToBothHolds() {
        LeaseReadWriteLock lock = registry(quiet(NONE)).getReadWriteLock(NAME);
        lock.writeLock().lock();
        lock.readLock().lock();
        registry(quiet(NONE)).getLock(NAME).forceUnlock();

        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock.writeLock()::unlock);
        assertThat(lock.readLock().isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock.readLock()::unlock);
        assertThat(backend().locked()).isEmpty();
    }
}

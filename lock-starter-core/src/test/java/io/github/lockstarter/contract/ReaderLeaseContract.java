package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Each reader has a lease of its own, whose end leaves those of others as they are. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class ReaderLeaseContract extends SharedFixture {

    ReaderLeaseContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldReleaseOneReaderOnly() throws Exception {
        LeasingLockRegistry registry = registry(quiet(GENEROUS));
        Lease first = registry.acquire(reader());
        Lease second = registry.acquire(reader());
        assertThat(registry.active()).isEqualTo(2);

        assertThat(first.release()).isTrue();

        assertThat(first.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(first.release()).as("idempotent").isTrue();
        assertThat(second.state()).isEqualTo(Lease.State.HELD);
        assertThat(second.lost().toCompletableFuture()).isNotDone();
        assertThat(registry.active()).isEqualTo(1);
        assertThat(backend().locked()).hasSize(1);
        assertThat(second.release()).isTrue();
    }

    @Test
    void shouldRenewEachReader() throws Exception {
        LeasingLockRegistry registry = registry(lasting().withHandOff(GENEROUS));
        Lease first = registry.acquire(reader());
        Lease joined = registry.acquire(reader());
        Lease elsewhere = registry().acquire(reader());

        awaitRenewals(joined);
        first.release();
        awaitRenewals(joined);
        awaitRenewals(elsewhere);

        joined.release();
        elsewhere.release();
    }

    /** A single time to live for all would end the others with it, or keep it alive with them. */
    @Test
    void shouldEndAFixedLeaseByItself() throws Exception {
        Lease lasting = registry().acquire(reader());
        Lease brief = registry().acquire(reader().withLease(Duration.ofMillis(300)));
        CompletableFuture<Lease> writer = registry().acquireAsync(request());

        assertThat(get(brief.lost())).isEqualTo(LossReason.EXPIRED);

        awaitRenewals(lasting);
        assertThat(writer).isNotDone();
        assertThat(brief.release()).isFalse();
        assertThat(lasting.release()).isTrue();
        assertThat(get(writer).release()).isTrue();
    }

    @Test
    void shouldLoseTheLeaseOfAThreadThatHasEndedOnly() throws Exception {
        LeasingLockRegistry registry = registry(lasting().withHandOff(GENEROUS));
        LeaseLock lock = registry.getReadWriteLock(NAME).readLock();
        Actor dying = actor();
        dying.tell(lock::lock);
        Lease forgotten = dying.ask(lock::currentLease);
        lock.lock();
        assertThat(lock.currentLease().fencingToken()).isEqualTo(forgotten.fencingToken());

        dying.die();

        assertThat(get(forgotten.lost())).isEqualTo(LossReason.OWNER_DIED);
        awaitRenewals(lock.currentLease());
        assertThat(backend().locked()).hasSize(1);
        lock.unlock();
        assertThat(backend().locked()).isEmpty();
    }

    @Test
    void shouldKeepTheLockForAMinimumHoldOfAReader() throws Exception {
        Duration minHold = Duration.ofMillis(600);
        LeasingLockRegistry elsewhere = registry();
        long start = System.nanoTime();
        Lease brief = registry().acquire(reader().withMinHold(minHold));
        assertThat(brief.release()).isTrue();

        elsewhere.acquire(reader()).release();
        Lease writer = elsewhere.acquire(request());

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(minHold);
        writer.release();
    }

    @Test
    void shouldTellWhetherSomebodyReadsOrWrites() {
        LeaseReadWriteLock here = registry().getReadWriteLock(NAME);
        LeasingLockRegistry elsewhere = registry();
        LeaseReadWriteLock there = elsewhere.getReadWriteLock(NAME);
        LeaseLock plain = elsewhere.getLock(NAME);
        assertThat(there.readLock().isLocked()).isFalse();
        assertThat(there.writeLock().isLocked()).isFalse();

        here.readLock().lock();
        assertThat(there.readLock().isLocked()).isTrue();
        assertThat(there.writeLock().isLocked()).isFalse();
        assertThat(plain.isLocked()).isTrue();
        here.readLock().unlock();

        here.writeLock().lock();
        assertThat(there.readLock().isLocked()).isFalse();
        assertThat(there.writeLock().isLocked()).isTrue();
        assertThat(plain.isLocked()).isTrue();
        here.readLock().lock();
        here.writeLock().unlock();
        assertThat(there.readLock().isLocked()).isTrue();
        assertThat(there.writeLock().isLocked()).isFalse();
        here.readLock().unlock();
        assertThat(there.readLock().isLocked()).isFalse();
        assertThat(plain.isLocked()).isFalse();
    }

    @Test
    void shouldForceAllReadersByTheReadLock() throws Exception {
        LeaseLock here = registry(quiet(NONE)).getReadWriteLock(NAME).readLock();
        LeaseReadWriteLock forcing = registry().getReadWriteLock(NAME);
        assertThat(forcing.readLock().forceUnlock()).isFalse();
        Lease there = registry(quiet(NONE)).acquire(reader());
        here.lock();
        CompletableFuture<Lease> writer = registry().acquireAsync(request());
        awaitInLine(1);

        assertThat(forcing.readLock().forceUnlock()).isTrue();

        assertThat(get(writer).isHeld()).isTrue();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(here::unlock);
        assertThat(there.release()).isFalse();
        assertThat(forcing.readLock().forceUnlock()).as("that is a writer").isFalse();
        assertThat(get(writer).release()).isTrue();
    }

    @Test
    void shouldForceWriterAndReadersByTheWriteLock() {
        LeaseReadWriteLock here = registry(quiet(NONE)).getReadWriteLock(NAME);
        LeaseReadWriteLock forcing = registry().getReadWriteLock(NAME);
        assertThat(forcing.writeLock().forceUnlock()).isFalse();

        here.readLock().lock();
        assertThat(forcing.writeLock().forceUnlock()).isTrue();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(here.readLock()::unlock)
                .satisfies(ex -> assertThat(ex.reason()).isEqualTo(LossReason.DELETED));

        here.writeLock().lock();
        assertThat(forcing.writeLock().forceUnlock()).isTrue();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(here.writeLock()::unlock);
        assertThat(forcing.writeLock().forceUnlock()).isFalse();
    }
}

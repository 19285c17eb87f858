package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Actor;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * Readers read together, each with a lease of its own; a writer writes alone, and keeps a read lock when it unlocks.
 */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class ReadersContract extends RegistryFixture {

    @Test
    void shouldLetReadersEnterAgainAlthoughAWriterWaits() throws Exception {
        LeasingLockRegistry here = registry(quiet(NONE));
        LeaseLock lock = here.getReadWriteLock(NAME).readLock();
        lock.lock();
        long token = lock.currentLease().fencingToken();
        CompletableFuture<Lease> writer = registry(quiet(NONE)).acquireAsync(request());
        awaitInLine(1);

        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(here.<Long, RuntimeException>execute(reader(), Lease::fencingToken))
                .isEqualTo(token);
        assertThat(lock.getHoldCount()).isEqualTo(4);
        for (int i = 0; i < 3; i++) {
            lock.unlock();
        }
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(writer).isNotDone();
        lock.unlock();

        assertThat(get(writer).release()).isTrue();
    }

    @Test
    void shouldShareOneGrantWithoutTheStore() throws Exception {
        LeaseLock lock = registry(quiet(GENEROUS)).getReadWriteLock(NAME).readLock();
        lock.lock();
        long granted = backend().commands();
        List<Actor> readers = List.of(actor(), actor(), actor());
        for (Actor each : readers) {
            each.execute(lock::lock);
            assertThat(each.ask(() -> lock.currentLease().fencingToken()))
                    .isEqualTo(lock.currentLease().fencingToken());
        }
        lock.unlock();
        readers.get(1).execute(lock::unlock);
        readers.get(2).execute(lock::unlock);
        assertThat(backend().commands()).as("one reader is left").isEqualTo(granted);
        assertThat(readers.get(0).ask(lock::isHeldByCurrentThread)).isTrue();
        assertThat(backend().locked()).hasSize(1);

        readers.get(0).execute(lock::unlock);

        assertThat(backend().commands()).isEqualTo(granted + 1);
        assertThat(backend().locked()).isEmpty();
    }

    @Test
    void shouldRefuseAnUpgradeAtOnce() throws Exception {
        LeasingLockRegistry registry = registry(quiet(GENEROUS));
        LeaseReadWriteLock lock = registry.getReadWriteLock(NAME);
        lock.readLock().lock();
        long commands = backend().commands();

        for (ThrowingCallable upgrade : List.<ThrowingCallable>of(
                () -> lock.writeLock().lock(),
                () -> lock.writeLock().lockInterruptibly(),
                () -> lock.writeLock().tryLock(LONG),
                () -> registry.getLock(NAME).tryLock(),
                () -> registry.execute(request(), lease -> true),
                () -> registry.acquire(request()),
                () -> get(registry.acquireAsync(request())),
                // A lease of no thread would wait behind a writer that waits for this thread.
                () -> registry.acquire(reader()),
                () -> get(registry.acquireAsync(reader())))) {
            assertThatIllegalStateException().isThrownBy(upgrade).withMessageContaining(NAME);
        }

        assertThat(backend().commands()).isEqualTo(commands);
        assertThat(registry.waiting()).isZero();
        assertThat(lock.writeLock().getHoldCount()).isZero();
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        lock.readLock().unlock();
        lock.writeLock().lock();
        lock.writeLock().unlock();
    }

    @Test
    void shouldReportWhetherItIsReadOrWritten() {
        LeaseReadWriteLock here = registry().getReadWriteLock(NAME);
        LeasingLockRegistry elsewhere = registry();
        LeaseReadWriteLock there = elsewhere.getReadWriteLock(NAME);
        Supplier<List<Boolean>> seen = () -> List.of(
                there.readLock().isLocked(),
                there.writeLock().isLocked(),
                elsewhere.getLock(NAME).isLocked());
        assertThat(seen.get()).containsExactly(false, false, false);

        here.readLock().lock();
        assertThat(seen.get()).containsExactly(true, false, true);
        here.readLock().unlock();
        here.writeLock().lock();
        assertThat(seen.get()).containsExactly(false, true, true);
        here.readLock().lock();
        here.writeLock().unlock();
        assertThat(seen.get()).containsExactly(true, false, true);
        here.readLock().unlock();
        assertThat(seen.get()).containsExactly(false, false, false);
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
        dying.execute(lock::lock);
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
    void shouldStayTheWriterIfTheReadLockIsUnlockedFirst() throws Exception {
        LeaseReadWriteLock lock = registry(quiet(NONE)).getReadWriteLock(NAME);
        LeasingLockRegistry elsewhere = registry(quiet(NONE));
        lock.writeLock().lock();
        long granted = backend().commands();
        lock.readLock().lock();
        lock.readLock().unlock();
        assertThat(lock.readLock().isHeldByCurrentThread()).isFalse();
        assertThat(lock.writeLock().isHeldByCurrentThread()).isTrue();
        assertThat(backend().commands()).as("nothing to ask").isEqualTo(granted);

        assertThat(elsewhere.tryAcquire(reader().withWaitTime(Duration.ZERO))).isEmpty();
        lock.writeLock().unlock();

        assertThat(backend().locked()).isEmpty();
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

    /** It has waited for longer than the writer of another instance that stands in line. */
    @Test
    void shouldLetTheFirstWaiterReadBesideAWriterThatBecomesAReader() throws Exception {
        LeasingLockRegistry here = registry(quiet(GENEROUS));
        LeaseReadWriteLock lock = here.getReadWriteLock(NAME);
        lock.writeLock().lock();
        CompletableFuture<Lease> reader = actor().ask(() -> here.acquireAsync(reader()));
        CompletableFuture<Lease> writer = registry(quiet(GENEROUS)).acquireAsync(request());
        awaitInLine(1);

        lock.readLock().lock();
        lock.writeLock().unlock();

        Lease joined = get(reader);
        assertThat(joined.fencingToken())
                .isEqualTo(lock.readLock().currentLease().fencingToken());
        assertThat(writer).isNotDone();
        lock.readLock().unlock();
        assertThat(joined.release()).isTrue();
        assertThat(get(writer).release()).isTrue();
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
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .as("unlock of a hold whose loss was reported")
                .isThrownBy(lock.readLock()::unlock);
        assertThat(backend().locked()).isEmpty();
    }
}

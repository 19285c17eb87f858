package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A thread enters again what it holds, at no cost, and leaves as often as it entered. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class ReentrancyContract extends RegistryFixture {

    ReentrancyContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldCountHolds() throws Exception {
        LeaseLock lock = registry().getLock(NAME);
        LeaseLock there = registry().getLock(NAME);

        lock.lock();
        long token = lock.currentLease().fencingToken();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(4);
        assertThat(lock.currentLease().fencingToken()).isEqualTo(token);
        for (int count = 3; count >= 0; count--) {
            assertThat(there.tryLock()).isFalse();
            lock.unlock();
            assertThat(lock.getHoldCount()).isEqualTo(count);
        }

        assertThat(there.tryLock()).isTrue();
        assertThat(there.currentLease().fencingToken()).isGreaterThan(token);
        there.unlock();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void shouldReenterWithoutACommand() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG));
        LeaseLock lock = registry.getLock(NAME);
        lock.lock();
        long commands = backend().commands();

        for (int i = 0; i < 100; i++) {
            lock.lock();
            lock.lockInterruptibly();
            assertThat(lock.tryLock()).isTrue();
            assertThat(lock.tryLock(Duration.ofSeconds(1))).isTrue();
            assertThat(lock.tryLock(Duration.ofSeconds(1), Duration.ofSeconds(5)))
                    .isTrue();
            registry.execute(request(), lease -> assertThat(lease.isHeld()).isTrue());
        }
        for (int i = 0; i < 500; i++) {
            lock.unlock();
        }

        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThat(backend().commands()).isEqualTo(commands);
        lock.unlock();
    }

    @Test
    void shouldBeSharedByAllViewsAndByExecute() throws Exception {
        LeasingLockRegistry registry = registry();
        LeaseLock view = registry.getLock(NAME);

        registry.execute(request(), outer -> {
            assertThat(view.getHoldCount()).isEqualTo(1);
            registry.getLock(NAME).lock();
            assertThat(view.getHoldCount()).isEqualTo(2);
            registry.execute(request(), inner -> {
                assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
                assertThat(registry.getLock(NAME).getHoldCount()).isEqualTo(3);
                return true;
            });
            view.unlock();
            assertThat(view.currentLease().fencingToken()).isEqualTo(outer.fencingToken());
            return true;
        });

        assertThat(view.getHoldCount()).isZero();
        assertThat(backend().locked()).isEmpty();
    }

    @Test
    void shouldCountEachThreadForItself() throws Exception {
        LeaseLock lock = registry().getLock(NAME);
        Actor first = actor();
        Actor second = actor();
        first.tell(lock::lock);
        first.tell(lock::lock);

        assertThat(second.ask(() -> lock.tryLock())).isFalse();
        assertThat(second.ask(lock::getHoldCount)).isZero();
        first.tell(lock::unlock);
        assertThat(second.ask(() -> lock.tryLock())).isFalse();
        first.tell(lock::unlock);

        assertThat(second.ask(() -> lock.tryLock())).isTrue();
        assertThat(second.ask(lock::getHoldCount)).isEqualTo(1);
        second.tell(lock::unlock);
    }
}

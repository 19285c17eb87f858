package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a nested hold does to the lease: it may lengthen it, and never shortens it. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class NestedLeaseContract extends RegistryFixture {

    NestedLeaseContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldNotBeShortenedByANestedHold() {
        LeaseLock lock = registry().getLock(NAME);
        lock.lock(LONG);

        lock.lock(Duration.ofMillis(100));

        assertThat(lock.currentLease().remaining()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(54));
        assertThat(backend().remaining(NAME)).isGreaterThan(Duration.ofSeconds(30));
        lock.unlock();
        assertThat(lock.currentLease().remaining()).isGreaterThan(Duration.ofSeconds(30));
        assertThat(backend().remaining(NAME)).isGreaterThan(Duration.ofSeconds(30));
        lock.unlock();
    }

    @Test
    void shouldBeLengthenedByANestedHold() {
        LeaseLock lock = registry().getLock(NAME);
        lock.lock(Duration.ofSeconds(5));
        long token = lock.currentLease().fencingToken();

        lock.lock(LONG);

        assertThat(lock.currentLease().remaining()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(54));
        assertThat(backend().remaining(NAME)).isBetween(Duration.ofSeconds(30), LONG);
        assertThat(lock.currentLease().fencingToken()).isEqualTo(token);
        lock.unlock();
        assertThat(lock.currentLease().remaining()).isGreaterThan(Duration.ofSeconds(30));
        assertThat(backend().remaining(NAME)).isGreaterThan(Duration.ofSeconds(30));
        lock.unlock();
    }

    @Test
    void shouldBeRenewedUntilTheNestedHoldEndsAndThenRunOut() {
        LeaseLock lock = registry(settings(TIMEOUT.multipliedBy(3))).getLock(NAME);
        lock.lock(Duration.ofSeconds(2));
        Lease lease = lock.currentLease();
        lock.lock();

        awaitRenewals(lease);
        lock.unlock();
        assertThat(lease.isHeld()).isTrue();

        soon().until(() -> lease.state() == Lease.State.LOST);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(lock::unlock)
                .satisfies(ex -> assertThat(ex.reason()).isEqualTo(LossReason.EXPIRED));
    }

    @Test
    void shouldNotBeEnteredAgainWhenItIsLost() {
        LeasingLockRegistry registry = registry();
        LeaseLock lock = registry.getLock(NAME);
        lock.lock(Duration.ofMillis(100));
        soon().until(() -> !lock.isHeldByCurrentThread());

        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lockInterruptibly);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::tryLock);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.tryLock(LONG, LONG));
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> registry.execute(request(), lease -> {
                    throw new AssertionError("ran");
                }))
                .withMessageContaining(NAME);

        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertThat(lock.getHoldCount()).isZero();
        lock.lock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }
}

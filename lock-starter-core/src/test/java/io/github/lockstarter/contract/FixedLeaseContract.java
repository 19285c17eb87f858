package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.contract.Outcomes.throughout;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A fixed lease ends by itself, and its owner knows before anybody else can have the lock. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class FixedLeaseContract extends RegistryFixture {

    private static final Duration LEASE = Duration.ofMillis(500);

    FixedLeaseContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldEndByItself() throws Exception {
        LeaseLock lock = registry().getLock(NAME);
        long start = System.nanoTime();
        lock.lock(LEASE);
        Lease lease = lock.currentLease();

        assertThat(get(lease.lost())).isEqualTo(LossReason.EXPIRED);

        // a tenth is the margin
        assertThat(System.nanoTime() - start)
                .isGreaterThanOrEqualTo(LEASE.multipliedBy(9).dividedBy(10).toNanos() - 1_000_000);
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThat(lease.remaining()).isZero();
        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(lock::unlock)
                .satisfies(ex -> assertThat(ex.reason()).isEqualTo(LossReason.EXPIRED));
    }

    @Test
    void shouldNotBeRenewed() {
        LeaseLock lock = registry().getLock(NAME);
        lock.lock(Duration.ofSeconds(2));
        long commands = backend().commands();

        throughout(Duration.ofMillis(600)).until(lock::isHeldByCurrentThread);

        assertThat(backend().commands()).isEqualTo(commands);
        assertThat(backend().remaining(NAME)).isLessThan(Duration.ofMillis(1410));
        lock.unlock();
    }

    @Test
    void shouldLeaveTheLockToOthersWhenItsOwnerUnlocksTooLate() throws Exception {
        LeaseLock here = registry().getLock(NAME);
        LeaseLock there = registry().getLock(NAME);
        here.lock(Duration.ofMillis(100));
        there.lock();

        assertThatExceptionOfType(LockLostException.class).isThrownBy(here::unlock);

        throughout(Duration.ofMillis(200)).until(there::isLocked);
        assertThat(there.isHeldByCurrentThread()).isTrue();
        there.unlock();
    }

    @Test
    void shouldBeRenewedForALeaseOfMinusOne() throws Exception {
        LeasingLockRegistry registry = registry();
        LeaseLock first = registry.getLock("orders:1");
        LeaseLock second = registry.getLock("orders:2");
        first.lock(Duration.ofMillis(-1));
        assertThat(second.tryLock(Duration.ZERO, Duration.ofMillis(-1))).isTrue();

        awaitRenewals(first.currentLease());
        awaitRenewals(second.currentLease());

        first.unlock();
        second.unlock();
    }
}

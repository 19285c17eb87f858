package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseSemaphore;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** All holders of a semaphore have at most its number of permits. */
abstract class PermitsContract extends SharedFixture {

    PermitsContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldKeepTheLimitAcrossInstances() throws Exception {
        LeaseSemaphore here = registry().getSemaphore(NAME, 2);
        LeaseSemaphore there = registry().getSemaphore(NAME, 2);
        assertThat(there.availablePermits()).isEqualTo(2);

        Lease first = here.acquire();
        assertThat(there.availablePermits()).isEqualTo(1);
        Lease second = there.acquire();

        assertThat(here.tryAcquire()).isEmpty();
        assertThat(there.tryAcquire()).isEmpty();
        assertThat(here.availablePermits()).isZero();
        assertThat(first.release()).isTrue();
        assertThat(there.availablePermits()).isEqualTo(1);
        Lease third = there.tryAcquire().orElseThrow();
        assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
        assertThat(second.release()).isTrue();
        assertThat(third.release()).isTrue();
        assertThat(there.availablePermits()).isEqualTo(2);
    }

    @Test
    void shouldCountWeights() throws Exception {
        LeaseSemaphore here = registry().getSemaphore(NAME, 5);
        LeaseSemaphore there = registry().getSemaphore(NAME, 5);

        Lease three = here.acquire(3);
        assertThat(there.availablePermits()).isEqualTo(2);
        assertThat(there.tryAcquire(3, Duration.ZERO)).isEmpty();
        Lease two = there.tryAcquire(2, Duration.ZERO).orElseThrow();
        assertThat(here.tryAcquire(1, Duration.ZERO)).isEmpty();
        three.release();
        assertThat(here.availablePermits()).isEqualTo(3);
        two.release();
        here.acquire(5).release();
    }

    @Test
    void shouldRefuseImpossibleNumbersAtTheCall() {
        LeasingLockRegistry registry = registry(quiet(NONE));
        LeaseSemaphore semaphore = registry.getSemaphore(NAME, 2);
        long commands = backend().commands();

        List<Callable<?>> calls = List.of(
                () -> semaphore.acquire(3),
                () -> semaphore.acquire(0),
                () -> semaphore.tryAcquire(3, LONG),
                () -> semaphore.tryAcquire(-1, LONG, LONG),
                () -> semaphore.acquireAsync(3),
                () -> registry.getSemaphore(NAME, 0),
                () -> request().withPermits(2, 1));
        for (Callable<?> call : calls) {
            assertThatIllegalArgumentException().isThrownBy(call::call);
        }

        assertThat(backend().commands()).isEqualTo(commands);
        assertThat(registry.waiting()).isZero();
    }

    @Test
    void shouldRenewAndTellOfALoss() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease lease = registry.getSemaphore(NAME, 2).acquire();
        Lease other = registry.getSemaphore(NAME, 2).acquire();
        awaitRenewals(lease);
        awaitRenewals(other);

        assertThat(registry().getLock(NAME).forceUnlock()).isTrue();

        assertThat(get(lease.lost())).isEqualTo(LossReason.DELETED);
        assertThat(get(other.lost())).isEqualTo(LossReason.DELETED);
        assertThat(lease.release()).isFalse();
        assertThat(other.release()).isFalse();
    }

    @Test
    void shouldNotServeAsALockAndAsASemaphore() throws Exception {
        LeasingLockRegistry here = registry();
        LeasingLockRegistry there = registry();

        Lease permit = here.getSemaphore(NAME, 1).acquire();
        assertThatIsRefused(() -> there.getLock(NAME).tryLock());
        assertThatIsRefused(() -> there.acquire(request()));
        assertThatIsRefused(() -> there.acquire(reader()));
        assertThatIsRefused(() -> get(there.acquireAsync(request())));
        assertThat(permit.release()).isTrue();

        Lease lock = here.acquire(request());
        assertThatIsRefused(() -> there.getSemaphore(NAME, 1).tryAcquire());
        assertThatIsRefused(() -> there.getSemaphore(NAME, 1).acquire());
        assertThat(lock.release()).isTrue();

        Lease reading = here.acquire(reader());
        assertThatIsRefused(() -> there.getSemaphore(NAME, 1).acquire());
        assertThat(reading.release()).isTrue();

        there.getSemaphore(NAME, 1).acquire().release();
        there.acquire(request()).release();
    }

    private static void assertThatIsRefused(Callable<?> call) {
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(call::call)
                .withMessageContainingAll("orders", "lock", "permits")
                .satisfies(ex -> {
                    assertThat(ex.isOutcomeUnknown()).isFalse();
                    assertThat(ex.isTransient()).isFalse();
                });
    }

    @Test
    void shouldNestInBodies() {
        LeasingLockRegistry registry = registry();

        registry.<RuntimeException>executeWithoutResult(permits(2, 2), outer -> {
            registry.<RuntimeException>executeWithoutResult(permits(2, 2), inner -> {
                assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
                registry.<RuntimeException>executeWithoutResult(
                        permits(1, 2), less -> assertThat(less.isHeld()).isTrue());
            });
            assertThat(outer.isHeld()).isTrue();
        });
        assertThat(backend().locked()).isEmpty();

        registry.<RuntimeException>executeWithoutResult(permits(1, 2), outer -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> registry.<Boolean, RuntimeException>execute(permits(2, 2), lease -> true))
                    .withMessageContaining(NAME);
            assertThat(outer.isHeld()).isTrue();
        });
    }

    @Test
    void shouldNotBeReentrantWithoutABody() throws Exception {
        LeaseSemaphore semaphore = registry().getSemaphore(NAME, 2);
        Lease first = semaphore.acquire();
        Lease second = semaphore.acquire();

        assertThat(second.fencingToken()).isNotEqualTo(first.fencingToken());
        assertThat(semaphore.tryAcquire()).isEmpty();
        first.release();
        second.release();
    }
}

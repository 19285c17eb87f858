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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
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
    void shouldNeverExceedTheLimitNorRepeatALiveToken() throws Exception {
        int permits = 3;
        int rounds = 60;
        AtomicInteger held = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Set<Long> tokens = ConcurrentHashMap.newKeySet();
        List<CompletableFuture<Boolean>> ends = new ArrayList<>();
        for (int instance = 0; instance < 3; instance++) {
            LeaseSemaphore semaphore = registry().getSemaphore(NAME, permits);
            for (Actor actor : actors(3)) {
                ends.add(actor.start(() -> {
                    for (int round = 0; round < rounds; round++) {
                        int weight = 1 + round % 2;
                        Lease lease = semaphore.acquire(weight);
                        most.accumulateAndGet(held.addAndGet(weight), Math::max);
                        assertThat(tokens.add(lease.fencingToken())).isTrue();
                        Thread.onSpinWait();
                        tokens.remove(lease.fencingToken());
                        held.addAndGet(-weight);
                        assertThat(lease.release()).isTrue();
                    }
                    return true;
                }));
            }
        }
        for (CompletableFuture<Boolean> end : ends) {
            get(end);
        }

        assertThat(most.get()).isBetween(2, permits);
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
    void shouldGrantAllPermitsToAttemptsAtOnce() throws Exception {
        int permits = 6;
        LeaseSemaphore semaphore = registry().getSemaphore(NAME, permits);
        List<Actor> all = actors(8);
        for (int round = 0; round < 15; round++) {
            List<Lease> granted = atOnce(all.subList(0, permits), () -> semaphore.tryAcquire()).stream()
                    .flatMap(Optional::stream)
                    .toList();
            assertThat(granted).as("as many as there are").hasSize(permits);
            assertThat(granted).extracting(Lease::fencingToken).doesNotHaveDuplicates();
            atOnce(all.subList(0, permits), () -> granted.get(0).isHeld());
            granted.forEach(Lease::release);
            List<Lease> contended = atOnce(all, () -> semaphore.tryAcquire()).stream()
                    .flatMap(Optional::stream)
                    .toList();
            assertThat(contended).as("more attempts than permits").hasSize(permits);
            contended.forEach(Lease::release);
        }
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
    void shouldReturnThePermitOfAFixedLeaseThatHasEnded() throws Exception {
        LeaseSemaphore semaphore = registry().getSemaphore(NAME, 2);
        Lease lasting = semaphore.acquire();
        Lease brief =
                semaphore.tryAcquire(1, Duration.ZERO, Duration.ofMillis(300)).orElseThrow();

        Lease next = registry().getSemaphore(NAME, 2).acquire();

        assertThat(brief.isHeld()).isFalse();
        assertThat(lasting.isHeld()).isTrue();
        assertThat(next.fencingToken()).isGreaterThan(brief.fencingToken());
        assertThat(brief.release()).isFalse();
        assertThat(next.release()).isTrue();
        assertThat(lasting.release()).isTrue();
    }

    @Test
    void shouldKeepThePermitForAMinimumHold() throws Exception {
        Duration minHold = Duration.ofMillis(500);
        long start = System.nanoTime();
        LeasingLockRegistry registry = registry();
        registry.acquire(permits(1, 2).withMinHold(minHold)).release();

        Lease both = registry().getSemaphore(NAME, 2).acquire(2);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(minHold);
        both.release();
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

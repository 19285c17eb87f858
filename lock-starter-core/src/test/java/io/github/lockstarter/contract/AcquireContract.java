package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.time;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Acquiring leases: waits, tokens, and who must not ask. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class AcquireContract extends RegistryFixture {

    private static final Duration SOON = Duration.ofSeconds(5);

    AcquireContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldGiveEachGrantALargerToken() throws Exception {
        List<LeasingLockRegistry> registries = List.of(registry(), registry(), registry());
        List<Long> tokens = new ArrayList<>();

        for (int grant = 0; grant < 1000; grant++) {
            try (Lease lease = registries.get(grant % 3).acquire(request())) {
                tokens.add(lease.fencingToken());
            }
        }

        assertThat(tokens).hasSize(1000).isSorted().doesNotHaveDuplicates();
        assertThat(tokens.get(0)).isPositive();
    }

    @Test
    void shouldTryOnceWithoutAWait() throws Exception {
        LeasingLockRegistry here = registry(settings(LONG));
        LeasingLockRegistry there = registry(settings(LONG));
        Lease lease = here.acquire(request());
        LockRequest once = request().withWaitTime(Duration.ZERO);
        long commands = backend().commands();

        Duration elapsed = time(() -> {
            assertThat(there.tryAcquire(once)).isEmpty();
            assertThatExceptionOfType(LockNotGrantedException.class)
                    .isThrownBy(() -> there.acquire(once))
                    .withMessageContaining(NAME);
        });

        assertThat(elapsed).isLessThan(SOON);
        assertThat(backend().commands() - commands).isEqualTo(2);
        assertThat(here.tryAcquire(once)).isEmpty();
        assertThat(lease.release()).isTrue();
        assertThat(there.tryAcquire(once)).hasValueSatisfying(Lease::close);
    }

    @Test
    void shouldGiveUpAtTheEndOfTheWait() throws Exception {
        LeasingLockRegistry here = registry();
        LeasingLockRegistry there = registry();
        Lease lease = here.acquire(request());
        LockRequest wait = request().withWaitTime(Duration.ofMillis(300));

        Duration empty = time(() -> assertThat(there.tryAcquire(wait)).isEmpty());
        Duration refused = time(() -> assertThatExceptionOfType(LockNotGrantedException.class)
                .isThrownBy(() -> there.acquire(wait))
                .satisfies(refusal -> {
                    assertThat(refusal.lockName()).isEqualTo(NAME);
                    assertThat(refusal.waited()).isBetween(Duration.ofMillis(300), SOON);
                    assertThat(refusal.waitTime()).isEqualTo(Duration.ofMillis(300));
                }));
        Duration inTheQueue = time(() -> assertThat(here.tryAcquire(wait)).isEmpty());

        assertThat(List.of(empty, refused, inTheQueue))
                .allSatisfy(elapsed -> assertThat(elapsed).isBetween(Duration.ofMillis(300), SOON));
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldNotBeReentrant() throws Exception {
        LeasingLockRegistry registry = registry();
        LeaseLock lock = registry.getLock(NAME);
        String thread = Thread.currentThread().getName();
        lock.lock();
        try {
            assertThatIllegalStateException()
                    .isThrownBy(() -> registry.acquire(request()))
                    .withMessageContainingAll(NAME, thread);
            assertThatIllegalStateException()
                    .isThrownBy(() -> registry.tryAcquire(request()))
                    .withMessageContainingAll(NAME, thread);
            assertThatIllegalStateException()
                    .isThrownBy(() -> registry.acquireAsync(request()))
                    .withMessageContainingAll(NAME, thread);
            assertThat(lock.getHoldCount()).isEqualTo(1);
        } finally {
            lock.unlock();
        }

        registry.execute(request(), lease -> {
            assertThatIllegalStateException().isThrownBy(() -> registry.acquire(request()));
            return true;
        });
        // a lease of no thread is in nobody's way but the store's
        try (Lease lease = registry.acquire(request())) {
            assertThat(registry.tryAcquire(request().withWaitTime(Duration.ZERO)))
                    .isEmpty();
            assertThatExceptionOfType(LockNotGrantedException.class)
                    .isThrownBy(() -> registry.acquire(request().withWaitTime(Duration.ZERO)))
                    .withMessageContaining("another lease of the caller");
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void shouldRefuseLeasesThatAreNone() {
        for (Duration lease : List.of(
                Duration.ZERO,
                Duration.ofNanos(999_999),
                Duration.ofMillis(-2),
                Duration.ofNanos(-1),
                Duration.ofDays(4000))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> request().withLease(lease))
                    .withMessageContainingAll(request().name(), lease.toString());
            assertThatIllegalArgumentException().isThrownBy(() -> request().withMaxHold(lease));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> request().withWaitTime(Duration.ofNanos(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> request().withWaitTime(Duration.ofMillis(-2)));
    }

    /** A lease that is accepted must be of use now and then; on a busy machine it is over before it came. */
    @Test
    void shouldGrantTheShortestLeaseThatItAccepts() throws Exception {
        LeasingLockRegistry registry = registry();
        LockRequest shortest = shortestLease().withWaitTime(Duration.ZERO);
        boolean granted = false;
        for (int attempt = 0; attempt < 200 && !granted; attempt++) {
            try (Lease lease = registry.acquire(shortest)) {
                granted = lease.fencingToken() > 0;
            } catch (LockNotGrantedException | LockStoreException ex) {
                assertThat(ex).hasMessageContaining(NAME);
            }
        }

        assertThat(granted).as("granted").isTrue();
    }

    private static LockRequest shortestLease() {
        for (int millis = 1; ; millis++) {
            try {
                return request().withLease(Duration.ofMillis(millis));
            } catch (IllegalArgumentException ex) {
                assertThat(millis).isLessThan(20);
            }
        }
    }
}

package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseSemaphore;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All holders of a semaphore have at most its number of permits, whatever limits they apply. */
abstract class PermitsContract extends RegistryFixture {

    @Test
    void shouldKeepTheLimitAcrossInstances() throws Exception {
        LeaseSemaphore here = registry().getSemaphore(NAME, 5);
        LeaseSemaphore there = registry().getSemaphore(NAME, 5);
        assertThat(there.availablePermits()).isEqualTo(5);
        Lease three = here.acquire(3);
        assertThat(there.availablePermits()).isEqualTo(2);
        assertThat(there.tryAcquire(3, Duration.ZERO)).isEmpty();
        Lease two = there.tryAcquire(2, Duration.ZERO).orElseThrow();
        assertThat(two.fencingToken()).isGreaterThan(three.fencingToken());
        assertThat(here.tryAcquire()).isEmpty();
        assertThat(here.availablePermits()).isZero();
        assertThat(three.release()).isTrue();
        assertThat(here.availablePermits()).isEqualTo(3);
        assertThat(two.release()).isTrue();
        here.acquire(5).release();
        assertThat(there.availablePermits()).isEqualTo(5);
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

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotServeAsALockAndAsASemaphore(boolean inOneInstance) throws Exception {
        LeasingLockRegistry here = registry();
        LeasingLockRegistry there = inOneInstance ? here : registry();

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

    @Test
    void shouldApplyARaisedLimitToWaiters() throws Exception {
        LeaseSemaphore old = registry(quiet(NONE)).getSemaphore(NAME, 1);
        Lease first = old.acquire();
        CompletableFuture<Lease> waiting = old.acquireAsync().toCompletableFuture();
        awaitInLine(1);
        LeaseSemaphore raised = registry(quiet(NONE)).getSemaphore(NAME, 2);
        assertThat(raised.tryAcquire()).as("the other one was there before").isEmpty();
        CompletableFuture<Lease> behind = raised.acquireAsync().toCompletableFuture();
        awaitInLine(2);

        first.release();

        assertThat(get(waiting).isHeld()).isTrue();
        assertThat(get(behind).isHeld()).isTrue();
        get(waiting).release();
        get(behind).release();
    }

    @Test
    void shouldApplyALoweredLimit() throws Exception {
        LeaseSemaphore old = registry().getSemaphore(NAME, 3);
        LeaseSemaphore lowered = registry().getSemaphore(NAME, 1);
        Lease first = old.acquire();
        Lease second = old.acquire();
        CompletableFuture<Lease> waiting = lowered.acquireAsync().toCompletableFuture();
        awaitInLine(1);

        first.release();
        assertThat(waiting).isNotDone();
        assertThat(lowered.tryAcquire()).isEmpty();
        second.release();

        assertThat(get(waiting).release()).isTrue();
    }
}

package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.failureOf;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Acquiring leases, in a thread or without one: waits, tokens, refusals and cancellations. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class AcquireContract extends RegistryFixture {

    /** Threads that run dependent stages of grants. */
    private static final int STAGE_THREADS = 200;

    private static final Duration SOON = Duration.ofSeconds(5);

    @Test
    void shouldTryOnceWithoutAWait() throws Exception {
        LeasingLockRegistry here = registry(settings(LONG));
        LeasingLockRegistry there = registry(settings(LONG));
        Lease lease = here.acquire(request());
        LockRequest once = request().withWaitTime(Duration.ZERO);
        long commands = backend().commands();

        assertThat(there.tryAcquire(once)).isEmpty();
        assertThatExceptionOfType(LockNotGrantedException.class)
                .isThrownBy(() -> there.acquire(once))
                .withMessageContaining(NAME);
        assertThat(failureOf(there.acquireAsync(once))).isInstanceOf(LockNotGrantedException.class);

        assertThat(backend().commands() - commands).isEqualTo(3);
        assertThat(here.tryAcquire(once)).isEmpty();
        assertThat(failureOf(here.acquireAsync(once))).isInstanceOf(LockNotGrantedException.class);
        assertThat(lease.release()).isTrue();
        assertThat(there.tryAcquire(once)).hasValueSatisfying(Lease::close);
        assertThat(get(there.acquireAsync(once)).release()).isTrue();
    }

    @Test
    void shouldGiveUpAtTheEndOfTheWait() throws Exception {
        LeasingLockRegistry here = registry();
        Lease lease = here.acquire(request());
        LockRequest wait = request().withWaitTime(Duration.ofMillis(300));

        for (LeasingLockRegistry registry : List.of(here, registry())) {
            assertThat(registry.tryAcquire(wait)).isEmpty();
            assertThat(failureOf(registry.acquireAsync(wait)))
                    .isInstanceOfSatisfying(LockNotGrantedException.class, refusal -> {
                        assertThat(refusal.lockName()).isEqualTo(NAME);
                        assertThat(refusal.waited()).isBetween(Duration.ofMillis(300), SOON);
                        assertThat(refusal.waitTime()).isEqualTo(Duration.ofMillis(300));
                    });
            awaitWaiting(registry, 0);
        }

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
        // A lease of no thread is not reentrant, and does not forbid another request.
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

    @Test
    void shouldNeedNoThreadsForThoseWhoWait() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG));
        warmUp(registry);
        Lease taken = registry.acquire(request());
        // A pool of the client may still lack a thread; a thread for each of those who wait would be a thousand.
        int threads = Thread.activeCount() + 10;
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();

        for (int i = 0; i < 1000; i++) {
            ends.add(registry.acquireAsync(request().withWaitTime(LONG)).thenAccept(lease -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                inside.decrementAndGet();
                lease.close();
            }));
        }
        assertThat(registry.waiting()).isEqualTo(1000);
        assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads);
        assertThat(ends).noneMatch(CompletableFuture::isDone);
        assertThat(taken.release()).isTrue();

        get(CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)));
        assertThat(most).hasValue(1);
        assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads);
    }

    /** Fills the pools with the threads that they may have. */
    private static void warmUp(LeasingLockRegistry registry) throws Exception {
        List<CompletableFuture<Lease>> leases = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            leases.add(registry.acquireAsync(LockRequest.of("warm:" + i)));
        }
        for (CompletableFuture<Lease> lease : leases) {
            get(lease).close();
        }
    }

    @Test
    void shouldNotStopWhenStagesOfTheApplicationBlock() throws Exception {
        LeasingLockRegistry registry = registry();
        CountDownLatch end = new CountDownLatch(1);
        // more than there are threads for renewals, or for asking the store
        List<CompletableFuture<?>> blocked = block(registry, 6, end);

        Lease lease = get(registry.acquireAsync(request()));
        awaitRenewals(lease);
        assertThat(failureOf(registry.acquireAsync(request().withWaitTime(Duration.ofMillis(100)))))
                .isInstanceOf(LockNotGrantedException.class);
        assertThat(lease.release()).isTrue();
        end.countDown();
        for (CompletableFuture<?> stage : blocked) {
            get(stage);
        }
    }

    /** A lease of which its owner is not notified in time would only be in the way. */
    @Test
    void shouldGiveBackAGrantThatCannotBeDelivered() throws Exception {
        LeasingLockRegistry registry = registry(withCommandTimeout(TIMEOUT));
        CountDownLatch end = new CountDownLatch(1);
        List<CompletableFuture<?>> blocked = block(registry, STAGE_THREADS, end);

        Throwable failure = failureOf(registry.acquireAsync(request().withWaitTime(Duration.ofMillis(200))));
        soon().until(() -> !registry.getLock(NAME).isLocked());
        CompletableFuture<Lease> cancelled = registry.acquireAsync(request().withWaitTime(LONG));
        soon().until(() -> registry.getLock(NAME).isLocked());
        cancelled.cancel(true);
        soon().until(() -> !registry.getLock(NAME).isLocked());
        end.countDown();

        assertThat(failure)
                .hasMessageContainingAll(NAME, "stages")
                .isInstanceOfSatisfying(
                        LockNotGrantedException.class,
                        refusal -> assertThat(refusal.waited()).isBetween(Duration.ofMillis(200), SOON));
        for (CompletableFuture<?> stage : blocked) {
            get(stage);
        }
    }

    /** Lets stages of so many grants block a thread each, until the end. */
    private static List<CompletableFuture<?>> block(LeasingLockRegistry registry, int count, CountDownLatch end)
            throws Exception {
        List<CompletableFuture<Lease>> taken = new ArrayList<>();
        List<CompletableFuture<?>> stages = new ArrayList<>();
        AtomicInteger blocking = new AtomicInteger();
        for (int i = 0; i < count; i++) {
            taken.add(registry.acquireAsync(LockRequest.of("blocked:" + i)));
        }
        for (int i = 0; i < count; i++) {
            get(taken.get(i));
            // not granted yet, so that no stage runs right here
            stages.add(registry.acquireAsync(LockRequest.of("blocked:" + i).withWaitTime(LONG))
                    .thenAccept(lease -> {
                        blocking.incrementAndGet();
                        try (lease) {
                            assertThat(end.await(60, TimeUnit.SECONDS)).isTrue();
                        } catch (InterruptedException ex) {
                            throw new AssertionError(ex);
                        }
                    }));
        }
        for (CompletableFuture<Lease> first : taken) {
            assertThat(get(get(first).releaseAsync())).isTrue();
        }
        // A stage that comes later would leave its thread to a grant of the test.
        soon().until(() -> blocking.get() == count);
        return stages;
    }

    @Test
    void shouldLeaveTheQueueWhenAFutureIsCompletedFromOutside() throws Exception {
        Lease taken = registry(settings(LONG)).acquire(request());
        LeasingLockRegistry registry = registry(withoutPolling(LONG));
        LockRequest wait = request().withWaitTime(LockRequest.FOREVER);
        CompletableFuture<Lease> first = registry.acquireAsync(wait);
        CompletableFuture<Lease> second = registry.acquireAsync(wait);
        CompletableFuture<Lease> third = registry.acquireAsync(wait);
        CompletableFuture<Lease> fourth = registry.acquireAsync(wait);
        awaitWaiting(registry, 4);

        assertThat(first.cancel(true)).isTrue();
        assertThat(failureOf(third.orTimeout(50, TimeUnit.MILLISECONDS))).isInstanceOf(TimeoutException.class);

        awaitWaiting(registry, 2);
        assertThat(failureOf(first)).isInstanceOf(CancellationException.class);
        assertThat(taken.release()).isTrue();
        assertThat(get(second).release()).isTrue();
        assertThat(get(fourth).release()).isTrue();
    }
}

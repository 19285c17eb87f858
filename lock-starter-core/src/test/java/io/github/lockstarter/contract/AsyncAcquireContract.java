package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.failureOf;
import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Acquiring without a thread that waits. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class AsyncAcquireContract extends RegistryFixture {

    AsyncAcquireContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldGrantALeaseThatIsRenewed() throws Exception {
        LeasingLockRegistry registry = registry();

        Lease lease = get(registry.acquireAsync(request()));

        assertThat(lease.fencingToken()).isPositive();
        assertThat(registry().getLock(NAME).tryLock()).isFalse();
        awaitRenewals(lease);
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldFailAtTheEndOfTheWait() throws Exception {
        LeasingLockRegistry here = registry();
        LeasingLockRegistry there = registry();
        Lease taken = here.acquire(request());
        LockRequest wait = request().withWaitTime(Duration.ofMillis(300));

        for (LeasingLockRegistry registry : List.of(here, there)) {
            long start = System.nanoTime();
            assertThat(failureOf(registry.acquireAsync(wait)))
                    .isInstanceOf(LockNotGrantedException.class)
                    .hasMessageContaining(NAME);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(300), Duration.ofSeconds(5));
        }
        awaitWaiting(here, 0);
        awaitWaiting(there, 0);

        assertThat(taken.release()).isTrue();
    }

    @Test
    void shouldTryOnceWithoutAWait() throws Exception {
        LeasingLockRegistry here = registry(settings(LONG));
        LeasingLockRegistry there = registry(settings(LONG));
        LockRequest once = request().withWaitTime(Duration.ZERO);
        Lease taken = get(here.acquireAsync(once));

        assertThat(failureOf(here.acquireAsync(once))).isInstanceOf(LockNotGrantedException.class);
        assertThat(failureOf(there.acquireAsync(once))).isInstanceOf(LockNotGrantedException.class);

        assertThat(taken.release()).isTrue();
        assertThat(get(there.acquireAsync(once)).release()).isTrue();
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
        List<CompletableFuture<Boolean>> blocked = new ArrayList<>();
        AtomicInteger blocking = new AtomicInteger();
        // more than there are threads for renewals, or for asking the store
        for (int i = 0; i < 6; i++) {
            LockRequest request = LockRequest.of("blocked:" + i);
            Lease taken = registry.acquire(request);
            // not granted yet, so that the stage does not run right here
            blocked.add(registry.acquireAsync(request).thenApply(lease -> {
                blocking.incrementAndGet();
                try (lease) {
                    return end.await(30, TimeUnit.SECONDS);
                } catch (InterruptedException ex) {
                    return false;
                }
            }));
            assertThat(taken.release()).isTrue();
        }
        soon().until(() -> blocking.get() == 6);

        Lease lease = get(registry.acquireAsync(request()));
        awaitRenewals(lease);
        assertThat(failureOf(registry.acquireAsync(request().withWaitTime(Duration.ofMillis(100)))))
                .isInstanceOf(LockNotGrantedException.class);
        assertThat(lease.release()).isTrue();

        end.countDown();
        for (CompletableFuture<Boolean> stage : blocked) {
            assertThat(get(stage)).isTrue();
        }
    }

    /** A lease that its owner does not learn of in time would only be in the way. */
    @Test
    void shouldGiveBackAGrantThatCannotBeDelivered() throws Exception {
        LeasingLockRegistry registry = registry(withCommandTimeout(Duration.ofMillis(300)));
        BlockedStages blocked = BlockedStages.of(registry);

        CompletableFuture<Lease> undelivered = registry.acquireAsync(request().withWaitTime(Duration.ofMillis(200)));
        Throwable failure = failureOf(undelivered);
        soon().until(() -> !registry.getLock(NAME).isLocked());
        CompletableFuture<Lease> cancelled = registry.acquireAsync(request().withWaitTime(LONG));
        soon().until(() -> registry.getLock(NAME).isLocked());
        cancelled.cancel(true);
        soon().until(() -> !registry.getLock(NAME).isLocked());
        blocked.end();

        assertThat(failure)
                .hasMessageContainingAll(NAME, "stages")
                .isInstanceOfSatisfying(LockNotGrantedException.class, refusal -> {
                    assertThat(refusal.lockName()).isEqualTo(NAME);
                    assertThat(refusal.waited()).isBetween(Duration.ofMillis(200), Duration.ofSeconds(5));
                    assertThat(refusal.waitTime()).isEqualTo(Duration.ofMillis(200));
                });
        blocked.awaitEnds();
    }
}

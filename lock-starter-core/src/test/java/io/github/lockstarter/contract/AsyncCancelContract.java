package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.failureOf;
import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Who gives up waiting leaves the queue, and a grant that comes at that moment is not lost. */
abstract class AsyncCancelContract extends RegistryFixture {

    AsyncCancelContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldLeaveTheQueueAtTheStore() throws Exception {
        Lease taken = registry(settings(LONG)).acquire(request());

        shouldLeaveTheQueue(taken, registry(withoutPolling(LONG)));
    }

    private static void shouldLeaveTheQueue(Lease taken, LeasingLockRegistry registry) throws Exception {
        LockRequest wait = request().withWaitTime(LONG);
        CompletableFuture<Lease> first = registry.acquireAsync(wait);
        CompletableFuture<Lease> second = registry.acquireAsync(wait);
        CompletableFuture<Lease> third = registry.acquireAsync(wait);
        CompletableFuture<Lease> fourth = registry.acquireAsync(wait);
        awaitWaiting(registry, 4);

        assertThat(first.cancel(true)).isTrue();
        assertThat(third.completeExceptionally(new IllegalStateException("given up")))
                .isTrue();
        awaitWaiting(registry, 2);
        assertThat(failureOf(first)).isInstanceOf(CancellationException.class);
        assertThat(taken.release()).isTrue();

        assertThat(get(second).release()).isTrue();
        assertThat(get(fourth).release()).isTrue();
    }

    @Test
    void shouldLeaveTheQueueWhenATimeoutComesFromOutside() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG));
        for (LeasingLockRegistry owner : List.of(registry, registry(settings(LONG)))) {
            Lease taken = owner.acquire(request());

            assertThat(failureOf(registry.acquireAsync(request().withWaitTime(LockRequest.FOREVER))
                            .orTimeout(100, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(TimeoutException.class);

            awaitWaiting(registry, 0);
            assertThat(taken.release()).isTrue();
        }
        assertThat(get(registry.acquireAsync(request())).release()).isTrue();
    }

    @Test
    void shouldGiveBackALeaseThatNobodyTakes() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG));
        for (int round = 0; round < 50; round++) {
            CompletableFuture<Lease> unwanted = registry.acquireAsync(request());
            unwanted.cancel(false);
            if (!unwanted.isCancelled()) {
                get(unwanted).close();
            }
        }

        soon().until(() -> registry.active() == 0 && registry.waiting() == 0);
        assertThat(registry.getLock(NAME).tryLock(Duration.ofSeconds(5))).isTrue();
        registry.getLock(NAME).unlock();
    }
}

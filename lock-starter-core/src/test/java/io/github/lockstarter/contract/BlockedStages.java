package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Stages of grants that occupy all threads for such stages until {@link #end}. */
final class BlockedStages {

    /** Threads that run dependent stages of grants. */
    static final int THREADS = 200;

    private final CountDownLatch end = new CountDownLatch(1);

    private final List<CompletableFuture<?>> stages = new ArrayList<>();

    private BlockedStages() {}

    /** Blocks all of them at once, because one by one takes long on a cluster. */
    static BlockedStages of(LeasingLockRegistry registry) throws Exception {
        List<LockRequest> requests = IntStream.range(0, THREADS)
                .mapToObj(i -> LockRequest.of("blocked:" + i).withWaitTime(RegistryFixture.LONG))
                .toList();
        List<CompletableFuture<Lease>> taken =
                requests.stream().map(registry::acquireAsync).toList();
        for (CompletableFuture<Lease> first : taken) {
            get(first);
        }
        // not granted yet, so that no stage runs right here
        AtomicInteger blocking = new AtomicInteger();
        BlockedStages blocked = new BlockedStages();
        for (LockRequest request : requests) {
            blocked.stages.add(registry.acquireAsync(request).thenAccept(lease -> {
                blocking.incrementAndGet();
                blocked.await(lease);
            }));
        }
        for (CompletableFuture<Lease> first : taken) {
            assertThat(get(get(first).releaseAsync())).isTrue();
        }
        // A stage that comes later would leave its thread to a grant of the test.
        soon().until(() -> blocking.get() == THREADS);
        return blocked;
    }

    void end() {
        this.end.countDown();
    }

    void awaitEnds() throws Exception {
        for (CompletableFuture<?> stage : this.stages) {
            get(stage);
        }
    }

    private Lease await(Lease lease) {
        try (lease) {
            assertThat(this.end.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
        return lease;
    }
}

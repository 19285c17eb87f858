package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Successor;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A store whose blocking calls go over Lettuce's asynchronous API instead of the template: what does that one cost? */
final class AsynchronousStore extends ForwardingStore {

    AsynchronousStore(LockStore redis) {
        super(redis);
    }

    private static <T> T answer(@Nullable CompletionStage<T> stage) {
        return Objects.requireNonNull(stage).toCompletableFuture().join();
    }

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis, boolean join) {
        return answer(acquireLater(lockName, acquisitionId, leaseMillis, join));
    }

    @Override
    public ReleaseReply release(String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        return answer(releaseLater(lockName, acquisitionId, lastToken, successor));
    }
}

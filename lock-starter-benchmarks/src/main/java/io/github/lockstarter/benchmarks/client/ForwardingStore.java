package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.store.Successor;
import io.github.lockstarter.store.WaitingListener;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Passes all calls on to another store, for variants that differ in a few of them. */
class ForwardingStore implements LockStore {

    private final LockStore redis;

    ForwardingStore(LockStore redis) {
        this.redis = redis;
    }

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis, boolean join) {
        return this.redis.acquire(lockName, acquisitionId, leaseMillis, join);
    }

    @Override
    public @Nullable CompletionStage<AcquireReply> acquireLater(
            String lockName, String acquisitionId, long leaseMillis, boolean join) {
        return this.redis.acquireLater(lockName, acquisitionId, leaseMillis, join);
    }

    @Override
    public ReleaseReply release(String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        return this.redis.release(lockName, acquisitionId, lastToken, successor);
    }

    @Override
    public @Nullable CompletionStage<ReleaseReply> releaseLater(
            String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        return this.redis.releaseLater(lockName, acquisitionId, lastToken, successor);
    }

    @Override
    public void renew(List<? extends Renewal> renewals) {
        this.redis.renew(renewals);
    }

    @Override
    public boolean renewLater(Renewal renewal) {
        return this.redis.renewLater(renewal);
    }

    @Override
    public int renewalBatchSize() {
        return this.redis.renewalBatchSize();
    }

    @Override
    public ReleaseReply keep(String lockName, String acquisitionId, long keepMillis) {
        return this.redis.keep(lockName, acquisitionId, keepMillis);
    }

    @Override
    public boolean isLocked(String lockName) {
        return this.redis.isLocked(lockName);
    }

    @Override
    public long claimMillis() {
        return this.redis.claimMillis();
    }

    @Override
    public boolean forceRelease(String lockName) {
        return this.redis.forceRelease(lockName);
    }

    @Override
    public boolean forceReleaseReaders(String lockName) {
        return this.redis.forceReleaseReaders(lockName);
    }

    @Override
    public void prepareWaiting() {
        this.redis.prepareWaiting();
    }

    @Override
    public void start(String instanceId, WaitingListener listener) {
        this.redis.start(instanceId, listener);
    }

    @Override
    public void stop(WaitingListener listener) {
        this.redis.stop(listener);
    }

    @Override
    public String description() {
        return this.redis.description();
    }
}

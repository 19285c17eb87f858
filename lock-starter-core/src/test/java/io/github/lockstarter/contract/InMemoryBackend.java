package io.github.lockstarter.contract;

import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.Successor;
import io.github.lockstarter.store.WaitingListener;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** One store in memory for all, which notes what it is asked. */
final class InMemoryBackend implements LockBackend, LockStore {

    private final InMemoryLockStore store = new InMemoryLockStore();

    private final Set<String> names = ConcurrentHashMap.newKeySet();

    private final AtomicLong commands = new AtomicLong();

    @Override
    public LockStore newStore() {
        return this;
    }

    @Override
    public Collection<String> locked() {
        return this.names.stream().filter(this.store::isLocked).toList();
    }

    @Override
    public Duration remaining(String lockName) {
        // A foreign acquisition is told how long it would have to wait.
        if (this.store.acquire(lockName, "probe", 1, false) instanceof AcquireReply.Taken taken) {
            return Duration.ofMillis(taken.remainingMillis());
        }
        this.store.release(lockName, "probe", 0, null);
        return Duration.ZERO;
    }

    @Override
    public int inLine(String lockName) {
        StoredLock lock = this.store.find(lockName);
        return lock != null ? lock.waiting() : 0;
    }

    @Override
    public long commands() {
        return this.commands.get();
    }

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis, boolean join) {
        this.names.add(lockName);
        this.commands.incrementAndGet();
        return this.store.acquire(lockName, acquisitionId, leaseMillis, join);
    }

    @Override
    public void renew(List<? extends Renewal> renewals) {
        this.commands.incrementAndGet();
        this.store.renew(renewals);
    }

    @Override
    public int renewalBatchSize() {
        return this.store.renewalBatchSize();
    }

    @Override
    public ReleaseReply release(String lockName, String acquisitionId, long lastToken, Successor successor) {
        this.commands.incrementAndGet();
        return this.store.release(lockName, acquisitionId, lastToken, successor);
    }

    @Override
    public CompletionStage<ReleaseReply> releaseLater(
            String lockName, String acquisitionId, long lastToken, Successor successor) {
        return CompletableFuture.completedStage(release(lockName, acquisitionId, lastToken, successor));
    }

    @Override
    public ReleaseReply keep(String lockName, String acquisitionId, long keepMillis) {
        this.commands.incrementAndGet();
        return this.store.keep(lockName, acquisitionId, keepMillis);
    }

    @Override
    public ReleaseReply downgrade(String lockName, String acquisitionId, long lastToken, long leaseMillis) {
        this.commands.incrementAndGet();
        return this.store.downgrade(lockName, acquisitionId, lastToken, leaseMillis);
    }

    @Override
    public boolean isLocked(String lockName) {
        this.commands.incrementAndGet();
        return this.store.isLocked(lockName);
    }

    @Override
    public StoredLock find(String lockName) {
        this.commands.incrementAndGet();
        return this.store.find(lockName);
    }

    @Override
    public boolean renewLater(Renewal renewal) {
        this.commands.incrementAndGet();
        return this.store.renewLater(renewal);
    }

    @Override
    public long claimMillis() {
        return this.store.claimMillis();
    }

    @Override
    public boolean forceRelease(String lockName) {
        this.commands.incrementAndGet();
        return this.store.forceRelease(lockName);
    }

    @Override
    public boolean forceReleaseReaders(String lockName) {
        this.commands.incrementAndGet();
        return this.store.forceReleaseReaders(lockName);
    }

    @Override
    public void prepareWaiting() {
        this.store.prepareWaiting();
    }

    @Override
    public void start(String instanceId, WaitingListener listener) {
        this.store.start(instanceId, listener);
    }

    @Override
    public void stop(WaitingListener listener) {
        this.store.stop(listener);
    }

    @Override
    public String description() {
        return this.store.description();
    }

    @Override
    public void close() {
        // it goes with the test
    }
}

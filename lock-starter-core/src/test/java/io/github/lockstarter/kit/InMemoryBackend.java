package io.github.lockstarter.kit;

import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseListener;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Renewal;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
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
        if (this.store.acquire(lockName, "probe", 1) instanceof AcquireReply.Taken taken) {
            return Duration.ofMillis(taken.remainingMillis());
        }
        this.store.release(lockName, "probe");
        return Duration.ZERO;
    }

    @Override
    public long commands() {
        return this.commands.get();
    }

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis) {
        this.names.add(lockName);
        this.commands.incrementAndGet();
        return this.store.acquire(lockName, acquisitionId, leaseMillis);
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
    public ReleaseReply release(String lockName, String acquisitionId) {
        this.commands.incrementAndGet();
        return this.store.release(lockName, acquisitionId);
    }

    @Override
    public boolean isLocked(String lockName) {
        this.commands.incrementAndGet();
        return this.store.isLocked(lockName);
    }

    @Override
    public boolean forceRelease(String lockName) {
        this.commands.incrementAndGet();
        return this.store.forceRelease(lockName);
    }

    @Override
    public void prepareWaiting() {
        this.store.prepareWaiting();
    }

    @Override
    public void start(ReleaseListener listener) {
        this.store.start(listener);
    }

    @Override
    public void stop(ReleaseListener listener) {
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

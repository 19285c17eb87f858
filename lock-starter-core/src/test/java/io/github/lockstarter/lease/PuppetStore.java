package io.github.lockstarter.lease;

import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseListener;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Renewal;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A store in memory, in whose calls a test can intervene. */
final class PuppetStore implements LockStore {

    /** Stands in the place of a call; may make it, before, after or not at all. */
    @FunctionalInterface
    interface Intervention<T> {
        T instead(Call<T> real) throws InterruptedException;
    }

    /** The real thing. */
    @FunctionalInterface
    interface Call<T> {
        T make();
    }

    /** Stands in the place of a renewal. */
    @FunctionalInterface
    interface RenewalIntervention {
        void instead(List<? extends Renewal> renewals, Runnable real) throws InterruptedException;
    }

    private final InMemoryLockStore store = new InMemoryLockStore();

    private final Queue<String> acquisitionIds = new ConcurrentLinkedQueue<>();

    private final AtomicInteger renewals = new AtomicInteger();

    private final AtomicInteger releases = new AtomicInteger();

    private volatile Intervention<AcquireReply> onAcquire = Call::make;

    private volatile Intervention<ReleaseReply> onRelease = Call::make;

    private volatile RenewalIntervention onRenew = (renewals, real) -> real.run();

    void onAcquire(Intervention<AcquireReply> intervention) {
        this.onAcquire = intervention;
    }

    void onRelease(Intervention<ReleaseReply> intervention) {
        this.onRelease = intervention;
    }

    void onRenew(RenewalIntervention intervention) {
        this.onRenew = intervention;
    }

    /** Ids of all acquires, in the order in which they came in. */
    List<String> acquisitionIds() {
        return List.copyOf(this.acquisitionIds);
    }

    /** Calls of {@link #renew} that came in. */
    int renewals() {
        return this.renewals.get();
    }

    /** Calls of {@link #release} that came in. */
    int releases() {
        return this.releases.get();
    }

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis) {
        this.acquisitionIds.add(acquisitionId);
        return instead(this.onAcquire, () -> this.store.acquire(lockName, acquisitionId, leaseMillis));
    }

    @Override
    public void renew(List<? extends Renewal> renewals) {
        this.renewals.incrementAndGet();
        try {
            this.onRenew.instead(renewals, () -> this.store.renew(renewals));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public int renewalBatchSize() {
        return this.store.renewalBatchSize();
    }

    @Override
    public ReleaseReply release(String lockName, String acquisitionId) {
        this.releases.incrementAndGet();
        return instead(this.onRelease, () -> this.store.release(lockName, acquisitionId));
    }

    private static <T> T instead(Intervention<T> intervention, Call<T> real) {
        try {
            return intervention.instead(real);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public boolean isLocked(String lockName) {
        return this.store.isLocked(lockName);
    }

    @Override
    public boolean forceRelease(String lockName) {
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
        return "puppet";
    }
}

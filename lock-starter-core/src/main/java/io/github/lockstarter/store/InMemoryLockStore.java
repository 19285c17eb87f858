package io.github.lockstarter.store;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LossReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stores locks in the memory of this JVM, with the behaviour of the Redis store: leases expire, tokens grow, and
 * waiters queue in a line. For tests and for applications that run as one instance, because it does not exclude other
 * JVMs. Several registries may share one store. Thread-safe.
 */
public final class InMemoryLockStore implements LockStore {

    /** Number of acquisitions after which expired locks are removed. */
    private static final int PURGE_EVERY = 1000;

    /** An instance, and the end of its time to live in nanoseconds. */
    private record Published(LockHolder instance, long endsAt) {}

    private final ConcurrentMap<String, HeldLock> locks = new ConcurrentHashMap<>();

    private final ConcurrentMap<String, Published> instances = new ConcurrentHashMap<>();

    private final CopyOnWriteArrayList<WaitingListener> listeners = new CopyOnWriteArrayList<>();

    private final FencingTokens tokens = new FencingTokens();

    private final AtomicLong acquisitions = new AtomicLong();

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis, boolean join) {
        LockStep step = new LockStep(lockName, this.tokens);
        AcquireReply[] reply = new AcquireReply[1];
        this.locks.compute(lockName, (name, held) -> {
            HeldLock lock = held != null && held.isHeld(step.now()) ? held : new HeldLock(step.now());
            reply[0] = lock.acquire(acquisitionId, leaseMillis, join, step);
            return lock;
        });
        step.notify(this.listeners);
        if (this.acquisitions.incrementAndGet() % PURGE_EVERY == 0) {
            this.locks
                    .keySet()
                    .forEach(name -> this.locks.computeIfPresent(name, (key, held) -> live(held, step.now())));
        }
        return reply[0];
    }

    @Override
    public void renew(List<? extends Renewal> renewals) {
        renewals.forEach(this::renew);
    }

    private void renew(Renewal renewal) {
        LockStep step = new LockStep(renewal.lockName(), this.tokens);
        @Nullable LossReason[] lost = {LossReason.DELETED};
        change(renewal.lockName(), step, lock -> {
            lost[0] = lock.renew(renewal.acquisitionId(), renewal.leaseMillis(), step);
        });
        if (lost[0] == null) {
            renewal.renewed();
        } else {
            renewal.lost(lost[0]);
        }
    }

    /** Changes a lock that is held, in one atomic step, and returns it; null if it is free before or afterwards. */
    private @Nullable HeldLock change(String lockName, LockStep step, Consumer<HeldLock> change) {
        return this.locks.computeIfPresent(lockName, (name, held) -> {
            if (!held.isHeld(step.now())) {
                return null;
            }
            change.accept(held);
            return live(held, step.now());
        });
    }

    @Override
    public boolean renewLater(Renewal renewal) {
        renew(renewal);
        return true;
    }

    @Override
    public int renewalBatchSize() {
        return 100;
    }

    @Override
    public ReleaseReply release(String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        LockStep step = new LockStep(lockName, this.tokens);
        ReleaseReply[] reply = {ReleaseReply.GONE};
        change(lockName, step, lock -> reply[0] = lock.release(acquisitionId, lastToken, successor, step));
        step.notify(this.listeners);
        return reply[0];
    }

    @Override
    public CompletionStage<ReleaseReply> releaseLater(
            String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        return CompletableFuture.completedStage(release(lockName, acquisitionId, lastToken, successor));
    }

    @Override
    public ReleaseReply keep(String lockName, String acquisitionId, long keepMillis) {
        LockStep step = new LockStep(lockName, this.tokens);
        boolean[] kept = {false};
        HeldLock left = change(lockName, step, lock -> kept[0] = lock.keep(acquisitionId, keepMillis, step));
        if (kept[0]) {
            return ReleaseReply.RELEASED;
        }
        return left == null ? ReleaseReply.GONE : ReleaseReply.TAKEN;
    }

    @Override
    public ReleaseReply downgrade(String lockName, String acquisitionId, long lastToken, long leaseMillis) {
        LockStep step = new LockStep(lockName, this.tokens);
        ReleaseReply[] reply = {ReleaseReply.GONE};
        change(lockName, step, lock -> reply[0] = lock.downgrade(acquisitionId, lastToken, leaseMillis, step));
        step.notify(this.listeners);
        return reply[0];
    }

    @Override
    public boolean isLocked(String lockName) {
        return live(this.locks.get(lockName), System.nanoTime()) != null;
    }

    @Override
    public @Nullable StoredLock find(String lockName) {
        LockStep step = new LockStep(lockName, this.tokens);
        @Nullable StoredLock[] found = {null};
        // Within an atomic step of the map, because the lock is changed only there.
        change(lockName, step, lock -> found[0] = lock.describe(step.now()));
        return found[0];
    }

    @Override
    public CompletionStage<?> publishInstance(LockHolder instance, long ttlMillis) {
        long now = System.nanoTime();
        this.instances.values().removeIf(published -> published.endsAt() - now <= 0);
        this.instances.put(
                instance.instance(), new Published(instance, now + TimeUnit.MILLISECONDS.toNanos(ttlMillis)));
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Optional<LockHolder>> findInstance(String instance) {
        Published published = this.instances.get(instance);
        return CompletableFuture.completedStage(
                published != null && published.endsAt() - System.nanoTime() > 0
                        ? Optional.of(published.instance())
                        : Optional.empty());
    }

    @Override
    public boolean forceRelease(String lockName) {
        return forceRelease(lockName, false);
    }

    @Override
    public boolean forceReleaseReaders(String lockName) {
        return forceRelease(lockName, true);
    }

    private boolean forceRelease(String lockName, boolean readersOnly) {
        LockStep step = new LockStep(lockName, this.tokens);
        List<String> owners = new ArrayList<>();
        change(lockName, step, lock -> owners.addAll(lock.owners(step.now())));
        if (readersOnly) {
            owners.removeIf(owner -> GrantKind.of(owner).mode() != LockMode.READ);
        }
        boolean released = false;
        for (String owner : owners) {
            released |= release(lockName, owner, 0, null).isReleased();
        }
        return released;
    }

    @Override
    public long claimMillis() {
        return HeldLock.CLAIM_MILLIS;
    }

    @Override
    public void prepareWaiting() {
        // Listeners are registered by start().
    }

    @Override
    public void start(String instanceId, WaitingListener listener) {
        this.listeners.addIfAbsent(listener);
    }

    @Override
    public void stop(WaitingListener listener) {
        // Grants stay until they expire, as in Redis.
        this.listeners.remove(listener);
    }

    @Override
    public String description() {
        return "memory of this JVM";
    }

    private static @Nullable HeldLock live(@Nullable HeldLock held, long now) {
        return held != null && held.isHeld(now) ? held : null;
    }
}

package io.github.lockstarter.store;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LossReason;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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

    private final AtomicLong lastToken = new AtomicLong();

    private final AtomicLong acquisitions = new AtomicLong();

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis, boolean join) {
        long now = System.nanoTime();
        AcquireReply[] reply = new AcquireReply[1];
        this.locks.compute(lockName, (name, held) -> {
            HeldLock lock = held != null && held.isHeld(now) ? held : new HeldLock(acquisitionId, nextToken());
            if (lock.isOwnedBy(acquisitionId)) {
                lock.extend(now, leaseMillis);
                reply[0] = new AcquireReply.Granted(lock.token());
            } else {
                // A late acquire of a grant that has ended must not join: its grant would never be claimed.
                if (join && !lock.isKeptBy(acquisitionId)) {
                    lock.join(acquisitionId);
                }
                reply[0] = new AcquireReply.Taken(lock.remainingMillis(now));
            }
            return lock;
        });
        if (this.acquisitions.incrementAndGet() % PURGE_EVERY == 0) {
            this.locks.keySet().forEach(name -> this.locks.computeIfPresent(name, (key, held) -> live(held, now)));
        }
        return reply[0];
    }

    @Override
    public void renew(List<? extends Renewal> renewals) {
        renewals.forEach(this::renew);
    }

    private void renew(Renewal renewal) {
        long now = System.nanoTime();
        HeldLock left = this.locks.computeIfPresent(renewal.lockName(), (name, held) -> {
            if (held.isHeld(now) && held.isOwnedBy(renewal.acquisitionId())) {
                held.extend(now, renewal.leaseMillis());
            }
            return live(held, now);
        });
        if (left == null) {
            renewal.lost(LossReason.DELETED);
        } else if (left.isOwnedBy(renewal.acquisitionId())) {
            renewal.renewed();
        } else {
            renewal.lost(LossReason.TAKEN_OVER);
        }
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
        long now = System.nanoTime();
        ReleaseReply[] reply = {ReleaseReply.GONE};
        HeldLock left = this.locks.computeIfPresent(lockName, (name, held) -> {
            HeldLock lock = live(held, now);
            if (lock == null || !lock.isOwnedBy(acquisitionId)) {
                reply[0] = lock == null
                        ? ReleaseReply.GONE
                        : lock.leave(acquisitionId) ? ReleaseReply.LEFT : ReleaseReply.TAKEN;
                return lock;
            }
            HeldLock next = lock.next(now, nextToken(Math.max(lock.token(), lastToken)), successor);
            if (next == null || successor == null) {
                reply[0] = ReleaseReply.RELEASED;
            } else if (next.isOwnedBy(successor.acquisitionId())) {
                reply[0] = ReleaseReply.grantedToSuccessor(next.token());
            } else {
                reply[0] = ReleaseReply.queued(next.token());
            }
            return next;
        });
        if (left != null && reply[0].isReleased() && reply[0].outcome() != ReleaseReply.Outcome.GRANTED_TO_SUCCESSOR) {
            this.listeners.forEach(listener -> listener.granted(lockName, left.owner(), left.token()));
        }
        return reply[0];
    }

    @Override
    public CompletionStage<ReleaseReply> releaseLater(
            String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        return CompletableFuture.completedStage(release(lockName, acquisitionId, lastToken, successor));
    }

    @Override
    public ReleaseReply keep(String lockName, String acquisitionId, long keepMillis) {
        long now = System.nanoTime();
        boolean[] kept = {false};
        HeldLock left = this.locks.computeIfPresent(lockName, (name, held) -> {
            HeldLock lock = live(held, now);
            if (lock != null && lock.isOwnedBy(acquisitionId)) {
                kept[0] = true;
                return lock.kept(now, keepMillis);
            }
            if (lock != null && lock.isKeptBy(acquisitionId)) {
                kept[0] = true;
                lock.shorten(now, keepMillis);
            }
            return lock;
        });
        if (kept[0]) {
            return ReleaseReply.RELEASED;
        }
        return left == null ? ReleaseReply.GONE : ReleaseReply.TAKEN;
    }

    @Override
    public boolean isLocked(String lockName) {
        return live(this.locks.get(lockName), System.nanoTime()) != null;
    }

    @Override
    public @Nullable StoredLock find(String lockName) {
        return status(lockName, "").lock();
    }

    @Override
    public CompletionStage<LineStatus> findInLine(String lockName, String acquisitionId) {
        return CompletableFuture.completedStage(status(lockName, acquisitionId));
    }

    private LineStatus status(String lockName, String acquisitionId) {
        long now = System.nanoTime();
        LineStatus[] status = {new LineStatus(null, false)};
        // Within an atomic step of the map, because the line is changed only there.
        this.locks.computeIfPresent(lockName, (name, held) -> {
            if (held.isHeld(now)) {
                status[0] = new LineStatus(held.describe(now), held.isInLine(acquisitionId));
            }
            return held;
        });
        return status[0];
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
        HeldLock held = live(this.locks.get(lockName), System.nanoTime());
        return held != null && release(lockName, held.owner(), 0, null).isReleased();
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

    private long nextToken() {
        return nextToken(0);
    }

    private long nextToken(long after) {
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        return this.lastToken.updateAndGet(last -> Math.max(now, Math.max(last, after) + 1));
    }
}

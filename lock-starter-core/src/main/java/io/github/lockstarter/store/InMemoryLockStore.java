package io.github.lockstarter.store;

import io.github.lockstarter.LossReason;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Locks in the memory of this JVM, with the behaviour of the Redis store: leases run out, tokens grow. For tests and for
 * single instances; it excludes nobody in another JVM. Several registries may share one.
 */
public final class InMemoryLockStore implements LockStore {

    /** What ran out without a release is forgotten now and then. */
    private static final int PURGE_EVERY = 1000;

    private record Entry(String owner, long token, long endsAtNanos) {

        boolean ownedBy(String acquisitionId) {
            return this.owner.equals(acquisitionId);
        }
    }

    private final ConcurrentMap<String, Entry> entries = new ConcurrentHashMap<>();

    private final CopyOnWriteArrayList<ReleaseListener> listeners = new CopyOnWriteArrayList<>();

    private final AtomicLong lastToken = new AtomicLong();

    private final AtomicLong acquisitions = new AtomicLong();

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis) {
        long now = System.nanoTime();
        long endsAt = now + TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        Entry entry = this.entries.compute(lockName, (name, held) -> {
            Entry current = live(held, now);
            if (current == null) {
                return new Entry(acquisitionId, nextToken(), endsAt);
            }
            return current.ownedBy(acquisitionId) ? new Entry(acquisitionId, current.token(), endsAt) : current;
        });
        if (this.acquisitions.incrementAndGet() % PURGE_EVERY == 0) {
            this.entries.values().removeIf(left -> live(left, now) == null);
        }
        return entry.ownedBy(acquisitionId)
                ? new AcquireReply.Granted(entry.token())
                : new AcquireReply.Taken(TimeUnit.NANOSECONDS.toMillis(entry.endsAtNanos() - now) + 1);
    }

    @Override
    public void renew(List<? extends Renewal> renewals) {
        renewals.forEach(this::renew);
    }

    private void renew(Renewal renewal) {
        long now = System.nanoTime();
        long endsAt = now + TimeUnit.MILLISECONDS.toNanos(renewal.leaseMillis());
        Entry entry = this.entries.compute(renewal.lockName(), (name, held) -> {
            Entry current = live(held, now);
            return current != null && current.ownedBy(renewal.acquisitionId()) && endsAt - current.endsAtNanos() > 0
                    ? new Entry(current.owner(), current.token(), endsAt)
                    : current;
        });
        if (entry == null) {
            renewal.lost(LossReason.DELETED);
        } else if (entry.ownedBy(renewal.acquisitionId())) {
            renewal.renewed();
        } else {
            renewal.lost(LossReason.TAKEN_OVER);
        }
    }

    @Override
    public int renewalBatchSize() {
        return 100;
    }

    @Override
    public ReleaseReply release(String lockName, String acquisitionId) {
        AtomicBoolean released = new AtomicBoolean();
        long now = System.nanoTime();
        Entry left = this.entries.computeIfPresent(lockName, (name, held) -> {
            Entry current = live(held, now);
            if (current == null || !current.ownedBy(acquisitionId)) {
                return current;
            }
            released.set(true);
            return null;
        });
        if (released.get()) {
            this.listeners.forEach(listener -> listener.released(lockName));
            return ReleaseReply.RELEASED;
        }
        return left == null ? ReleaseReply.GONE : ReleaseReply.TAKEN;
    }

    @Override
    public boolean isLocked(String lockName) {
        return live(this.entries.get(lockName), System.nanoTime()) != null;
    }

    @Override
    public boolean forceRelease(String lockName) {
        Entry removed = live(this.entries.remove(lockName), System.nanoTime());
        if (removed != null) {
            this.listeners.forEach(listener -> listener.released(lockName));
        }
        return removed != null;
    }

    @Override
    public void prepareWaiting() {
        // Whoever started listens already.
    }

    @Override
    public void start(ReleaseListener listener) {
        this.listeners.addIfAbsent(listener);
    }

    @Override
    public void stop(ReleaseListener listener) {
        // Grants stay, as they do in Redis.
        this.listeners.remove(listener);
    }

    @Override
    public String description() {
        return "memory of this JVM";
    }

    private static @Nullable Entry live(@Nullable Entry entry, long now) {
        return entry != null && entry.endsAtNanos() - now > 0 ? entry : null;
    }

    private long nextToken() {
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        return this.lastToken.updateAndGet(last -> Math.max(now, last + 1));
    }
}

package io.github.lockstarter.lease.holder;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.lease.support.AcquisitionIds;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.text.LockLog;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the instances that hold locks. The description of an instance is read from the store when the instance is first
 * seen, in the background; no method blocks. Thread-safe.
 *
 * <p>A description is read again after ten minutes, and after five seconds if there was none: an instance publishes its
 * description a moment after its first lock. What was read stays known if the instance has ended meanwhile. The
 * directory has at most 1,000 instances; another one takes the place of the one that was not used for the longest time.
 */
public final class InstanceDirectory {

    static final int CAPACITY = 1_000;

    static final long FRESH_NANOS = TimeUnit.MINUTES.toNanos(10);

    static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final LockLog logger = LockLog.of(InstanceDirectory.class);

    private final LockStore store;

    private final LeaseClock clock;

    private final ThisInstance own;

    private final ReentrantLock lock = new ReentrantLock();

    /** By instance, in the order of use. Guarded by the lock. */
    private final Map<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    public InstanceDirectory(LockStore store, LeaseClock clock, ThisInstance own) {
        this.store = store;
        this.clock = clock;
        this.own = own;
    }

    /** Returns whether the holder is this instance. */
    public boolean isOwn(LockHolder holder) {
        return holder.instance().equals(this.own.id());
    }

    /** Returns this instance. */
    public LockHolder own() {
        return this.own.holder();
    }

    /** Notes that an acquisition owns a lock, and reads the description of its instance unless it is known. No I/O here. */
    public void seen(String ownerAcquisitionId) {
        CompletionStage<LockHolder> unused = find(ownerAcquisitionId);
    }

    /** Returns the instance of an acquisition as far as it is known. No I/O. */
    public LockHolder of(String ownerAcquisitionId) {
        String instance = AcquisitionIds.instanceOf(ownerAcquisitionId);
        if (instance == null) {
            return new LockHolder(ownerAcquisitionId);
        }
        if (instance.equals(this.own.id())) {
            return this.own.holder();
        }
        this.lock.lock();
        try {
            Entry entry = this.entries.get(instance);
            return entry != null ? entry.holder : new LockHolder(instance);
        } finally {
            this.lock.unlock();
        }
    }

    /** As {@link #of}, but completed after the description has been read if it was not known; never exceptionally. */
    public CompletionStage<LockHolder> find(String ownerAcquisitionId) {
        String instance = AcquisitionIds.instanceOf(ownerAcquisitionId);
        if (instance == null || instance.equals(this.own.id())) {
            return CompletableFuture.completedStage(of(ownerAcquisitionId));
        }
        long now = this.clock.nanoTime();
        CompletableFuture<LockHolder> read = new CompletableFuture<>();
        Entry entry;
        this.lock.lock();
        try {
            entry = this.entries.computeIfAbsent(instance, Entry::new);
            if (entry.dueAt != null && entry.dueAt - now > 0) {
                return entry.read;
            }
            // Not due while it is being read; a reply that never comes is not awaited for longer.
            entry.dueAt = now + RETRY_NANOS;
            entry.read = read;
            removeEldest();
        } finally {
            this.lock.unlock();
        }
        read(entry, read);
        return read;
    }

    private void removeEldest() {
        if (this.entries.size() > CAPACITY) {
            this.entries.remove(this.entries.keySet().iterator().next());
        }
    }

    private void read(Entry entry, CompletableFuture<LockHolder> read) {
        BiConsumer<@Nullable Optional<LockHolder>, @Nullable Throwable> end = (found, failure) -> {
            if (failure != null) {
                logger.debug("The description of instance " + entry.instance + " was not read.", failure);
            }
            read.complete(update(entry, found != null ? found.orElse(null) : null));
        };
        try {
            CompletionStage<Optional<LockHolder>> reply = this.store.findInstance(entry.instance);
            if (reply == null) {
                end.accept(null, null);
            } else {
                CompletionStage<?> unused = reply.whenComplete(end);
            }
        } catch (RuntimeException ex) {
            end.accept(null, ex);
        }
    }

    private LockHolder update(Entry entry, @Nullable LockHolder found) {
        this.lock.lock();
        try {
            if (found != null) {
                entry.holder = found;
                entry.dueAt = this.clock.nanoTime() + FRESH_NANOS;
            }
            return entry.holder;
        } finally {
            this.lock.unlock();
        }
    }

    /** An instance, guarded by the lock of the directory. */
    private static final class Entry {

        private final String instance;

        private LockHolder holder;

        /** Time from which on it is read again, in nanoseconds; null: it was not read. */
        private @Nullable Long dueAt;

        /** The last read, completed when it has ended. */
        private CompletableFuture<LockHolder> read = new CompletableFuture<>();

        Entry(String instance) {
            this.instance = instance;
            this.holder = new LockHolder(instance);
        }
    }
}

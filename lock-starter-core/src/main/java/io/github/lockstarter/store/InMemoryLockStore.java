package io.github.lockstarter.store;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.text.Printable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Stores locks in the memory of this JVM, with the behaviour of the Redis store: leases expire, tokens grow, and
 * waiters queue in a line. For tests and for applications that run as one instance, because it does not exclude other
 * JVMs. Thread-safe.
 *
 * <p>Notifications are delivered by the thread whose command has granted the lock, before the command returns.
 */
public final class InMemoryLockStore implements LockStore {

    /** Milliseconds in which a grant from the line must be claimed, twice the interval of polls. */
    private static final long CLAIM_MILLIS = 2_000;

    private static final int RENEWAL_BATCH = 100;

    private static final int PARTS = 64;

    private final Shared shared;

    /** Id of the instance; empty unless started. */
    private volatile String instance = "";

    /**
     * What the stores of several instances have in common. Each table has some of the locks, and a mutex at the same
     * index.
     *
     * @param offset microseconds from the monotonic clock to the time since the epoch
     */
    private record Shared(
            List<LockTable> tables, List<ReentrantLock> mutexes, Map<String, StoreListener> listeners, long offset) {}

    /** Creates a store with separate locks, which no other store shares. */
    public InMemoryLockStore() {
        this(new Shared(
                Stream.generate(() -> new LockTable(CLAIM_MILLIS, true))
                        .limit(PARTS)
                        .toList(),
                Stream.generate(ReentrantLock::new).limit(PARTS).toList(),
                new ConcurrentHashMap<>(),
                ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) - System.nanoTime() / 1000));
    }

    private InMemoryLockStore(Shared shared) {
        this.shared = shared;
    }

    /** Returns a store of the same locks, for another instance. */
    public InMemoryLockStore forAnotherInstance() {
        return new InMemoryLockStore(this.shared);
    }

    @Override
    public void start(String instance, StoreListener listener) {
        stop();
        this.shared.listeners.put(instance, listener);
        this.instance = instance;
    }

    @Override
    public void stop() {
        StoreListener unused = this.shared.listeners.remove(this.instance);
        this.instance = "";
    }

    @Override
    public Reply call(Command command) {
        if (command instanceof Command.RenewAll renewAll) {
            LockTable.requireValid(command);
            if (renewAll.renewals().size() > RENEWAL_BATCH) {
                throw new IllegalArgumentException(Printable.of("Command.RenewAll must not have more than "
                        + RENEWAL_BATCH + " renewals, but has "
                        + renewAll.renewals().size() + '.'));
            }
            List<Reply> outcomes = new ArrayList<>(renewAll.renewals().size());
            renewAll.renewals().forEach(renewal -> outcomes.add(execute(renewal)));
            return new Reply.RenewedAll(outcomes);
        }
        return execute(command);
    }

    private Reply execute(Command command) {
        if (command instanceof Command.Notify message) {
            StoreListener listener = this.shared.listeners.get(message.instance());
            if (listener != null) {
                listener.notified(message.lock(), message.id(), message.notice());
            }
            return Reply.Done.INSTANCE;
        }
        // A stack that overflows within lock() or unlock() would leave the mutex locked.
        StackRoom.require();
        int hash = command.lock().hashCode();
        int part = Math.floorMod(hash ^ hash >>> 16, PARTS);
        ReentrantLock mutex = this.shared.mutexes.get(part);
        Messages messages = new Messages(this.shared.listeners);
        Reply reply;
        mutex.lock();
        try {
            // Continues steadily when the clock of the computer is set.
            long micros = this.shared.offset + System.nanoTime() / 1000;
            reply = this.shared.tables.get(part).execute(command, micros, this.instance, messages);
        } finally {
            mutex.unlock();
        }
        messages.notifications.forEach(Runnable::run);
        return reply;
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        try {
            return CompletableFuture.completedStage(call(command));
        } catch (LockStoreException ex) {
            return CompletableFuture.failedStage(ex);
        }
    }

    @Override
    public int renewalBatchSize() {
        return RENEWAL_BATCH;
    }

    @Override
    public long claimMillis() {
        return CLAIM_MILLIS;
    }

    @Override
    public @Nullable String obstacle() {
        return null;
    }

    @Override
    public String description() {
        return "memory of this JVM";
    }

    /** Collects the notifications of a command, which follow it. */
    private static final class Messages implements LockTable.Inboxes {

        private final Map<String, StoreListener> listeners;

        private final List<Runnable> notifications = new ArrayList<>(0);

        Messages(Map<String, StoreListener> listeners) {
            this.listeners = listeners;
        }

        @Override
        public void publish(String lock, String inbox, String id, long token) {
            StoreListener listener = this.listeners.get(inbox);
            if (listener != null) {
                this.notifications.add(() -> listener.granted(lock, id, token));
            }
        }

        @Override
        public boolean hasReceivers(String inbox) {
            return this.listeners.containsKey(inbox);
        }
    }
}

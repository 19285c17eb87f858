package io.github.lockstarter.registry;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.engine.AcquisitionIds;
import io.github.lockstarter.engine.RunThreads;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.text.LockLog;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The instances that hold locks. Publishes the description of this instance from the start to the stop of a run, and
 * finds the descriptions of others. No method blocks, and no caller of a lock waits for this class. Thread-safe.
 *
 * <p>The description of this instance is published at the start and then every 30 seconds. After a failure, it is tried
 * again after five seconds. Without being published again, it stays in the store for ten times that interval, or for
 * twice the lease of a renewed lock if that is longer, because the holder of a lock must still be shown after its
 * crash.
 *
 * <p>The description of another instance, which never changes, is read when its id is first seen. If there was none, it
 * is read again after five seconds, because an instance publishes it a moment after its first lock. At most 1,000
 * instances are stored; a further one replaces the instance that was not used for the longest time.
 */
final class Instances {

    private static final int CAPACITY = 1_000;

    private static final long TRY_AGAIN = TimeUnit.SECONDS.toNanos(5);

    private static final Duration REFRESH = Duration.ofSeconds(30);

    private static final LockLog logger = LockLog.of(Instances.class);

    private final LockStore store;

    private final RunThreads threads;

    private final Supplier<Moment> clock;

    private final long ttlMillis;

    private volatile LockHolder own;

    private final ReentrantLock lock = new ReentrantLock();

    /** Other instances by id, in the order of use. Guarded by {@link #lock}. */
    private final Map<String, Other> others = new LinkedHashMap<>(16, 0.75f, true);

    /** Another instance, and the time from which its description is read if it is unknown. Guarded by {@link #lock}. */
    private static final class Other {

        private @Nullable LockHolder description;

        /** The last attempt to read the description, which is completed when it is over, even if it has failed. */
        private CompletableFuture<?> read = CompletableFuture.completedFuture(null);

        private long readFrom;
    }

    /**
     * Creates the instances of a run.
     *
     * @param instance id of this instance
     * @param clock supplies the time of the engine
     */
    Instances(String instance, LockSettings settings, LockStore store, RunThreads threads, Supplier<Moment> clock) {
        this.store = store;
        this.threads = threads;
        this.clock = clock;
        Duration longest = settings.watchdogTimeout().multipliedBy(2);
        Duration least = REFRESH.multipliedBy(10);
        this.ttlMillis = (longest.compareTo(least) > 0 ? longest : least).toMillis();
        this.own = new LockHolder(
                instance,
                settings.application(),
                null,
                ProcessHandle.current().pid(),
                // The time is as precise as in the store, because all instances must describe this one in the same way.
                Instant.now().truncatedTo(ChronoUnit.MILLIS));
    }

    // ---- This instance

    /** Starts to publish the description of this instance, until the threads are stopped. */
    void start() {
        // The resolver may block.
        this.threads.complete(() -> {
            LockHolder known = this.own;
            this.own = new LockHolder(known.instance(), known.application(), host(), known.pid(), known.startedAt());
            publish();
        });
    }

    /** Returns the name of the host, from the environment or otherwise from the resolver, which can take seconds. */
    private static String host() {
        for (String variable : new String[] {"HOSTNAME", "COMPUTERNAME"}) {
            String name = System.getenv().getOrDefault(variable, "").strip();
            if (!name.isEmpty()) {
                return name;
            }
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException | RuntimeException ex) {
            return "unknown";
        }
    }

    private void publish() {
        CompletionStage<?> unused = this.store
                .send(new Command.PublishInstance(this.own, this.ttlMillis))
                .whenComplete((reply, failure) -> {
                    if (failure != null) {
                        logger.debug("The description of this instance was not published; it is tried again.", failure);
                    }
                    boolean unusedToo =
                            this.threads.later(this::publish, failure != null ? TRY_AGAIN : REFRESH.toNanos());
                });
    }

    LockHolder own() {
        return this.own;
    }

    boolean isOwn(LockHolder holder) {
        return holder.instance().equals(this.own.instance());
    }

    // ---- Others

    /** Returns the instance of an acquisition, with its description if that is known. */
    LockHolder of(String acquisitionId) {
        LockHolder byId = byId(acquisitionId);
        if (isOwn(byId)) {
            return this.own;
        }
        this.lock.lock();
        try {
            Other other = this.others.get(byId.instance());
            LockHolder description = other != null ? other.description : null;
            return description != null ? description : byId;
        } finally {
            this.lock.unlock();
        }
    }

    /**
     * Returns the instance of an acquisition without its description. The whole id counts as the instance if it does
     * not have the form of an acquisition id.
     */
    static LockHolder byId(String acquisitionId) {
        String instance = AcquisitionIds.instanceOf(acquisitionId);
        return new LockHolder(instance != null ? instance : acquisitionId);
    }

    /**
     * Reads the description of the instance of an acquisition in the background, unless it is known.
     *
     * @return a future that is completed when the description is known or could not be read
     */
    CompletableFuture<?> read(String acquisitionId) {
        String instance = AcquisitionIds.instanceOf(acquisitionId);
        if (instance == null || instance.equals(this.own.instance())) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<?> read = new CompletableFuture<>();
        Other other;
        this.lock.lock();
        try {
            long now = this.clock.get().nanos();
            other = this.others.computeIfAbsent(instance, id -> new Other());
            if (other.description != null || other.readFrom > now) {
                return other.read;
            }
            other.readFrom = now + TRY_AGAIN;
            other.read = read;
            if (this.others.size() > CAPACITY) {
                this.others.remove(this.others.keySet().iterator().next());
            }
        } finally {
            this.lock.unlock();
        }
        Other reading = other;
        CompletionStage<?> unused = this.store
                .send(new Command.FindInstance(instance))
                .whenComplete((reply, failure) -> {
                    if (reply instanceof Reply.Instance found) {
                        this.lock.lock();
                        try {
                            reading.description = found.instance();
                        } finally {
                            this.lock.unlock();
                        }
                    }
                    read.complete(null);
                });
        return read;
    }
}

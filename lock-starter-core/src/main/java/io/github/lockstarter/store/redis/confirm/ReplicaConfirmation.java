package io.github.lockstarter.store.redis.confirm;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.store.redis.connection.DerivedFactory;
import io.github.lockstarter.store.redis.connection.PrivateConnection;
import io.github.lockstarter.store.redis.connection.StoreConnection;
import io.github.lockstarter.store.redis.script.CrossSlotSupport;
import io.github.lockstarter.store.redis.script.LettuceScriptExecutor;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.ReplyTimeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Confirms grants and renewals: they are believed only when enough replicas have acknowledged them. Thread-safe, except
 * that {@link #stop} and the start of the store must not run at the same time.
 *
 * <p>Implementation note. A confirmation is a pair of commands on a connection of its own, because {@code WAIT} blocks
 * its connection and covers the writes of that connection only: {@code confirm.lua} writes the lock again if the
 * acquisition still owns it, and {@code WAIT} returns when the replicas have that write, and with it the grant, which is
 * older. Both replies must come from one physical connection ({@link Pair}). The order within the replication stream is
 * all that counts, so the grant itself may be written over any connection. The lease of a confirmed grant counts from
 * the sending of the acquire, which is earlier than that of the pair.
 */
public final class ReplicaConfirmation {

    private static final int LARGEST_BATCH = 100;

    private final StoreConnection store;

    private final LockKeys keys;

    private final Acknowledgements acknowledgements;

    private final Supplier<Masters> newMasters;

    /** Null unless the store is connected. */
    private volatile @Nullable Masters masters;

    private final boolean sentinel;

    private final ReplyTimeouts timeouts;

    private final AtomicBoolean running = new AtomicBoolean();

    /** Lets no connection be opened after the stop. */
    private final ReentrantLock lifecycle = new ReentrantLock();

    /**
     * Creates a confirmation without connections.
     *
     * @param store the private connection of the store
     * @param timeout how long a grant may take together with its confirmation
     * @param replicas how many replicas must acknowledge, at least one
     */
    public ReplicaConfirmation(PrivateConnection store, LockKeys keys, Duration timeout, int replicas) {
        DerivedFactory recipe = store.recipe().withoutReconnection();
        this.store = store;
        this.keys = keys;
        this.acknowledgements = new Acknowledgements(replicas, timeout, keys);
        this.timeouts = new ReplyTimeouts(timeout);
        this.sentinel = recipe.isSentinel();
        PairReplies replies = new PairReplies(store, keys, this.acknowledgements);
        Masters.Queues queues = (opener, master) -> new PairQueue(
                new MasterLink(opener, master, this.sentinel, this.acknowledgements),
                keys,
                this.acknowledgements,
                replies,
                this::largestBatch);
        this.newMasters = recipe.isCluster()
                ? () -> new ClusterMasters(recipe, keys, queues)
                : () -> new SingleMaster(recipe, queues);
    }

    /** Returns how many locks may be confirmed with one script call. */
    private int largestBatch() {
        LettuceScriptExecutor scripts = this.store.scripts();
        CrossSlotSupport support = scripts != null ? scripts.crossSlotSupport() : null;
        return this.store.isCluster() || support == null || support.isRejected() ? 1 : LARGEST_BATCH;
    }

    /**
     * Starts the confirmation: returns a listener that opens connections with each connection of the store, and notifies
     * another listener.
     */
    public StoreConnection.Listener start(StoreConnection.Listener listener) {
        this.running.set(true);
        return new StoreConnection.Listener() {

            @Override
            public void connected(RedisConnectionFactory factory) {
                storeConnected((LettuceConnectionFactory) factory);
                listener.connected(factory);
            }

            @Override
            public void moved() {
                listener.moved();
            }

            @Override
            public void subscriptionLost(RedisConnectionFactory factory) {
                listener.subscriptionLost(factory);
            }
        };
    }

    private void storeConnected(LettuceConnectionFactory factory) {
        this.lifecycle.lock();
        try {
            if (this.running.get()) {
                Masters current = this.masters;
                if (current == null) {
                    current = this.newMasters.get();
                    this.masters = current;
                }
                current.connected(factory);
            }
        } finally {
            this.lifecycle.unlock();
        }
    }

    /** Closes all connections; called before the connection of the store is closed. */
    public void stop() {
        this.lifecycle.lock();
        try {
            this.running.set(false);
            Masters current = this.masters;
            this.masters = null;
            if (current != null) {
                current.stop();
            }
        } finally {
            this.lifecycle.unlock();
        }
    }

    /**
     * Waits until the reply is confirmed if it is a grant, and returns it.
     *
     * @param startedAt when the acquire was started, by {@link System#nanoTime()}
     * @throws LockStoreException if it is not confirmed within one timeout from then on
     */
    public AcquireReply await(
            AcquireReply reply, String lockName, String acquisitionId, long leaseMillis, long startedAt) {
        if (!(reply instanceof AcquireReply.Granted)) {
            return reply;
        }
        CompletableFuture<AcquireReply> confirmed = confirm(reply, lockName, acquisitionId, leaseMillis, startedAt);
        try {
            long left = deadline(startedAt) - System.nanoTime();
            return confirmed.get(Math.max(0, left), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw this.store.failed(ex, this.keys.describe(lockName));
        } catch (TimeoutException ex) {
            throw this.acknowledgements.noAnswer(lockName);
        } catch (ExecutionException ex) {
            throw ex.getCause() instanceof LockStoreException cause
                    ? cause
                    : this.store.failed(ex, this.keys.describe(lockName));
        }
    }

    /**
     * Returns the reply to an acquire when it is confirmed, or at once if it is no grant.
     *
     * @param acquired the reply to the acquire, which has just been sent
     * @return completed exceptionally with a {@link LockStoreException} if it is not confirmed within one timeout
     */
    public CompletionStage<AcquireReply> later(
            CompletionStage<AcquireReply> acquired, String lockName, String acquisitionId, long leaseMillis) {
        long startedAt = System.nanoTime();
        CompletableFuture<AcquireReply> confirmed = acquired.thenCompose(reply -> reply instanceof AcquireReply.Granted
                        ? confirm(reply, lockName, acquisitionId, leaseMillis, startedAt)
                        : CompletableFuture.completedFuture(reply))
                .toCompletableFuture();
        this.timeouts.limit(confirmed);
        return confirmed.handle((reply, failure) -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof TimeoutException) {
                throw this.acknowledgements.noAnswer(lockName);
            } else if (cause != null) {
                throw cause instanceof LockStoreException known
                        ? known
                        : this.store.failed(cause, this.keys.describe(lockName));
            }
            return reply;
        });
    }

    private CompletableFuture<AcquireReply> confirm(
            AcquireReply grant, String lockName, String acquisitionId, long leaseMillis, long startedAt) {
        GrantConfirmation confirmation = new GrantConfirmation(
                lockName, acquisitionId, leaseMillis, grant, this.keys.describe(lockName), this::findMaster);
        add(List.of(PendingConfirmation.ofGrant(confirmation, deadline(startedAt))));
        return confirmation.reply();
    }

    /** Sends renewals; each is notified when it is confirmed or has failed, possibly before this method returns. */
    public void renew(List<? extends Renewal> renewals) {
        long deadline = deadline(System.nanoTime());
        List<PendingConfirmation> pending = new ArrayList<>(renewals.size());
        for (Renewal renewal : renewals) {
            pending.add(PendingConfirmation.ofRenewal(renewal, deadline));
        }
        add(pending);
    }

    /** Sends a renewal as {@link #renew} does; returns true, because that never blocks. */
    public boolean renewLater(Renewal renewal) {
        renew(List.of(renewal));
        return true;
    }

    private void add(List<PendingConfirmation> confirmations) {
        Map<PairQueue, List<PendingConfirmation>> byMaster = new LinkedHashMap<>();
        Masters current = this.masters;
        for (PendingConfirmation each : confirmations) {
            PairQueue queue = current != null ? current.queueOf(each.lockName()) : null;
            if (queue == null) {
                each.failed(this.store.notConnected(this.keys.describe(each.lockName())));
                this.store.check();
            } else {
                byMaster.computeIfAbsent(queue, unused -> new ArrayList<>()).add(each);
            }
        }
        byMaster.forEach(PairQueue::add);
    }

    private long deadline(long startedAt) {
        return startedAt + this.acknowledgements.timeout().toNanos();
    }

    /** Has the store connect to the master again: the grant was written to a server that the pair has not reached. */
    private void findMaster() {
        if (this.sentinel) {
            this.store.findMaster();
        } else {
            this.store.check();
        }
    }
}

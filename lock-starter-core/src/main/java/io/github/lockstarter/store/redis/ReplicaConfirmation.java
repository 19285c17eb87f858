package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.StackRoom;
import io.github.lockstarter.text.LockLog;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Confirms grants and renewals: they are reported only when enough replicas have acknowledged them. Thread-safe; only
 * {@link #stop} blocks. Serves one run of the store.
 */
final class ReplicaConfirmation {

    /*
     * Implementation note.
     *
     * A confirmation is a call of renew.lua that writes the lock again if the acquisition still owns it, and a WAIT
     * that follows on the same connection. WAIT returns when the replicas have that write, and with it the grant, which
     * is older. The order in the replication stream is all that counts, so the grant itself may be written over any
     * connection.
     *
     * Each master has a separate connection, because WAIT blocks its connection and covers the writes of that
     * connection only. Both replies must come from one physical connection, so it never reconnects and follows no
     * redirection. One pair is in flight at a time; requests that arrive during this time share the next one, so a
     * thousand grants need few pairs. Nothing is believed without both replies, not even that a lock is lost: only a
     * server with enough replicas can be the master.
     *
     * A request waits at most for the end of one pair or attempt to connect, and for its own pair. Both must fit into
     * one command timeout together with the acquire, which waitMillis() takes into account. The caller limits the
     * whole.
     *
     * The first call of a pair carries the text of the script, so that a server lacks it for the others only if it has
     * refused that call.
     */

    private static final LockLog logger = LockLog.of(ReplicaConfirmation.class);

    private static final String PROPERTY = "distributed-lock.redis.confirm-replicas";

    private final PrivateConnection store;

    private final int required;

    private final Duration timeout;

    private final ReplyTimeouts timeouts;

    /** The masters by host and port. Servers that are no longer masters are kept until the store stops. */
    private final ConcurrentMap<String, Master> masters = new ConcurrentHashMap<>();

    private final RedisClient client;

    /** The connection of the store, which leads to the masters; null unless the store is connected. */
    private volatile @Nullable LettuceConnectionFactory connected;

    private volatile boolean stopped;

    /**
     * Creates a confirmation without connections.
     *
     * @param store the connection of the store
     * @param timeout how long a grant may take together with its confirmation
     * @param required how many replicas must acknowledge, at least one
     */
    ReplicaConfirmation(PrivateConnection store, Duration timeout, int required) {
        this.store = store;
        this.required = required;
        this.timeout = timeout;
        this.timeouts = new ReplyTimeouts(timeout, store.recipe.eventLoops::runLater);
        this.client = store.recipe.clientWithoutReconnection();
    }

    /** Connects to all masters in the background, as far as they are known, and logs if one has too few replicas. */
    void connected(LettuceConnectionFactory factory) {
        this.connected = factory;
        // The connection of the store may have been replaced because its server does not answer.
        this.masters.values().forEach(master -> master.stale = true);
        try {
            if (factory.getRequiredNativeClient() instanceof RedisClusterClient cluster) {
                for (RedisClusterNode node : cluster.getPartitions()) {
                    if (node.getRole().isUpstream()) {
                        masterAt(node.getUri().getHost(), node.getUri().getPort())
                                .proceedUnlessBusy();
                    }
                }
            } else {
                masterAt(factory.getHostName(), factory.getPort()).proceedUnlessBusy();
            }
        } catch (RuntimeException | OutOfMemoryError ex) {
            // The first request connects.
            logger.debug("The replicas were not counted.", ex);
        }
    }

    /** Closes all connections; called before the connection of the store is closed. */
    void stop() {
        this.stopped = true;
        this.client.shutdown(0, this.timeout.toMillis(), TimeUnit.MILLISECONDS);
        // The connections are closed, so that each master fails what it has.
        this.masters.values().forEach(Master::proceed);
    }

    /**
     * Confirms the locks of one call, all of which have the same master.
     *
     * @param call keys and first arguments of {@code renew.lua}
     * @param subject what the call is for, such as {@code lock 'a'}
     * @return the result of the script; fails with a {@link LockStoreException} or with an exception of the client
     */
    CompletableFuture<Object> send(ScriptCommands.Call call, String subject) {
        Request request = new Request(call, subject, new CompletableFuture<>());
        Master master = masterOf(call.keys.get(0));
        if (master == null) {
            request.result.completeExceptionally(this.store.notConnected(subject));
        } else {
            master.waiting.add(request);
            master.proceedUnlessBusy();
        }
        return request.result;
    }

    private @Nullable Master masterOf(String key) {
        LettuceConnectionFactory current = this.connected;
        if (current == null || this.stopped) {
            return null;
        }
        if (current.getRequiredNativeClient() instanceof RedisClusterClient cluster) {
            RedisClusterNode node = cluster.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
            return node != null
                    ? masterAt(node.getUri().getHost(), node.getUri().getPort())
                    : null;
        }
        return masterAt(current.getHostName(), current.getPort());
    }

    private Master masterAt(String host, int port) {
        return this.masters.computeIfAbsent(host + ':' + port, address -> {
            DerivedFactory recipe = this.store.recipe;
            return new Master(recipe.uriOf(host, port), recipe.isCluster() ? "Redis at " + address : recipe.servers());
        });
    }

    /**
     * Returns the timeout of {@code WAIT}. A server that has nothing else to do ends a {@code WAIT} up to 100 ms late.
     */
    private long waitMillis() {
        long millis = this.timeout.toMillis();
        return Math.max(1, Math.max(millis / 4, millis * 2 / 5 - 100));
    }

    private String shortage(long acknowledged) {
        return acknowledged + " of " + this.required + " replicas acknowledged it within " + waitMillis() + " ms. Check"
                + " that the master has " + this.required
                + " replicas that are connected and keep up (INFO replication), or lower " + PROPERTY + '.';
    }

    /**
     * A call that waits to be confirmed.
     *
     * @param result completed with the result of the script
     */
    private record Request(ScriptCommands.Call call, String subject, CompletableFuture<Object> result) {}

    /** The requests of one master, and its connection. */
    private final class Master {

        private final RedisURI uri;

        private final String name;

        private final ConnectionAttempts attempts;

        private final Queue<Request> waiting = new ConcurrentLinkedQueue<>();

        /** Whether a pair is in flight or a connection is being opened; the end of both sends the next pair. */
        private final AtomicBoolean busy = new AtomicBoolean();

        /** Whether the connection must be replaced before the next pair. */
        private volatile boolean stale;

        // The fields below belong to the thread that has set busy.

        private @Nullable StatefulRedisConnection<byte[], byte[]> connection;

        private boolean shortageLogged;

        /** Why the last attempt to connect failed, or {@code null} if it succeeded. */
        private @Nullable Throwable failure;

        /** When the next attempt may follow a failed one, by {@link System#nanoTime()}. */
        private long retryAt;

        Master(RedisURI uri, String name) {
            this.uri = uri;
            this.name = name;
            this.attempts = new ConnectionAttempts(name + " (confirm-replicas)");
        }

        /** Sends what waits, unless a pair is in flight. If nothing waits, only connects, and counts the replicas. */
        void proceedUnlessBusy() {
            if (!this.busy.compareAndSet(false, true)) {
                return;
            }
            boolean isScheduled = false;
            try {
                StackRoom.require();
                // Not by the calling thread: what this begins could not be ended if its stack were exhausted.
                ReplicaConfirmation.this.store.recipe.eventLoops.runLater(this::proceed, 0);
                isScheduled = true;
            } finally {
                if (!isScheduled) {
                    this.busy.set(false);
                }
            }
        }

        /** Ends a pair or an attempt to connect. */
        private void ended() {
            this.busy.set(false);
            // What was added before that relies on this thread.
            if (!this.waiting.isEmpty() && this.busy.compareAndSet(false, true)) {
                proceed();
            }
        }

        private void proceed() {
            StatefulRedisConnection<byte[], byte[]> current = this.connection;
            try {
                if (ReplicaConfirmation.this.stopped) {
                    notConnected(new IllegalStateException("the store was stopped"));
                } else if (current != null && current.isOpen() && !this.stale) {
                    send(current);
                } else if (this.failure != null && this.retryAt - System.nanoTime() > 0) {
                    notConnected(this.failure);
                } else {
                    close();
                    this.stale = false;
                    CompletionStage<?> unused = ReplicaConfirmation.this
                            .client
                            .connectAsync(ByteArrayCodec.INSTANCE, this.uri)
                            .whenComplete(this::connected);
                }
            } catch (Throwable ex) {
                // An Error as well, or everything would wait for this attempt for ever.
                notConnected(ex);
            }
        }

        private void connected(@Nullable StatefulRedisConnection<byte[], byte[]> opened, @Nullable Throwable cause) {
            if (opened != null) {
                opened.setAutoFlushCommands(false);
                this.connection = opened;
                this.failure = null;
                this.attempts.succeeded();
                proceed();
            } else {
                if (cause != null && !ReplicaConfirmation.this.stopped) {
                    this.retryAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(this.attempts.failed(cause));
                    this.failure = cause;
                }
                notConnected(cause);
            }
        }

        private void notConnected(@Nullable Throwable cause) {
            for (Request each : takeAll()) {
                each.result.completeExceptionally(
                        RedisErrors.notConnected(this.name, "the confirmation of " + each.subject, cause));
            }
            ended();
        }

        private List<Request> takeAll() {
            List<Request> taken = new ArrayList<>();
            for (Request next = this.waiting.poll(); next != null; next = this.waiting.poll()) {
                taken.add(next);
            }
            return taken;
        }

        /** Closes the connection without waiting for it. */
        private void close() {
            StatefulRedisConnection<byte[], byte[]> closed = this.connection;
            this.connection = null;
            if (closed != null) {
                CompletableFuture<?> unused = closed.closeAsync();
            }
        }

        /** Sends a pair: the calls that wait, possibly none, and the {@code WAIT} that follows them. */
        private void send(StatefulRedisConnection<byte[], byte[]> current) {
            CompletableFuture<Long> acknowledged = new CompletableFuture<>();
            // If the system refuses the thread that ends the pair in time, nothing is sent.
            ReplicaConfirmation.this.timeouts.limit(acknowledged);
            List<Request> pair = takeAll();
            try {
                RedisAsyncCommands<byte[], byte[]> commands = current.async();
                List<RedisFuture<Object>> replies = new ArrayList<>();
                Set<RedisScript<Object>> sent = new HashSet<>();
                OpenConnection open = ReplicaConfirmation.this.store.current;
                for (Request request : pair) {
                    RedisScript<Object> script = request.call.textFor(open == null || open.hasTime);
                    replies.add(call(commands, script, request.call, sent.add(script)));
                }
                // Its reply follows those to the calls.
                LettuceScripts.forward(
                        commands.waitForReplication(ReplicaConfirmation.this.required, waitMillis()), acknowledged);
                current.flushCommands();
                CompletableFuture<?> unused = acknowledged.whenComplete((replicas, error) -> {
                    try {
                        replied(pair, replies, replicas, error);
                    } finally {
                        ended();
                    }
                });
            } catch (Throwable ex) {
                close();
                pair.forEach(request -> request.result.completeExceptionally(ex));
                throw ex;
            }
        }

        private static RedisFuture<Object> call(
                RedisAsyncCommands<byte[], byte[]> commands,
                RedisScript<Object> script,
                ScriptCommands.Call call,
                boolean withText) {
            byte[][] keys = LettuceScripts.bytes(call.keys);
            byte[][] arguments = LettuceScripts.bytes(List.of(call.arguments[0], call.arguments[1], "1"));
            return withText
                    ? commands.eval(script.getScriptAsString(), ScriptOutputType.MULTI, keys, arguments)
                    : commands.evalsha(script.getSha1(), ScriptOutputType.MULTI, keys, arguments);
        }

        /**
         * Ends the requests of a pair when there are all replies, or when it is too late for them.
         *
         * @param replicas how many replicas have acknowledged the pair, or {@code null} if that is not known
         */
        private void replied(
                List<Request> pair,
                List<RedisFuture<Object>> replies,
                @Nullable Long replicas,
                @Nullable Throwable error) {
            if (replicas == null) {
                Throwable cause = error != null ? error : new IllegalStateException("no reply to WAIT");
                pair.forEach(request -> request.result.completeExceptionally(cause));
                if (!(cause instanceof RedisCommandExecutionException) || RedisErrors.isNotMaster(cause)) {
                    close();
                }
                return;
            }
            logShortage(replicas);
            if (replicas < ReplicaConfirmation.this.required) {
                pair.forEach(request -> request.result.completeExceptionally(new LockStoreException(
                        "Redis did not confirm " + request.subject + ": " + shortage(replicas), null, true, true)));
                ReplicaConfirmation.this.store.check();
                return;
            }
            for (int i = 0; i < pair.size(); i++) {
                LettuceScripts.forward(replies.get(i), pair.get(i).result);
            }
        }

        private void logShortage(long replicas) {
            boolean isShort = replicas < ReplicaConfirmation.this.required;
            if (isShort && !this.shortageLogged) {
                logger.warn(this.name + " has too few replicas, so that it grants and renews no locks: "
                        + shortage(replicas));
            } else if (!isShort && this.shortageLogged) {
                logger.info(this.name + " has enough replicas again for " + PROPERTY + '='
                        + ReplicaConfirmation.this.required + '.');
            }
            this.shortageLogged = isShort;
        }
    }
}

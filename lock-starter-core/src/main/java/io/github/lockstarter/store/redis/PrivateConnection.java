package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.Printable;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import reactor.core.Disposable;

/**
 * A connection that only the store uses. One background thread opens it, checks it after each failure, and replaces it
 * if it does not answer: a connection whose other end is gone can look open for minutes, and the reconnection of the
 * client may take longer than a lease lasts.
 *
 * <p>It is also replaced when another server has become the master while the connection still answers: an old master
 * that is cut off from Sentinels and replicas goes on for its clients. The Sentinels are asked once in a while and with
 * each of their messages; in a cluster Lettuce asks for the topology.
 */
final class PrivateConnection extends StoreConnection {

    private static final LockLog logger = LockLog.of(PrivateConnection.class);

    /**
     * Limit of the second attempt of {@link #start}: a JVM that starts on a busy machine may take seconds to load the
     * client, and its server to reply. All other attempts are short, because leases end while they run.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** How the connection is derived from the application's. */
    final DerivedFactory recipe;

    private final Duration timeout;

    private final boolean cluster;

    /** {@code null} unless Sentinel names the master and the connection is started. */
    private volatile @Nullable Sentinels sentinels;

    private final ScriptLoading loading;

    private final SingleTask check = new SingleTask(this::runCheck);

    private volatile @Nullable Listener listener;

    /** A connection that another thread must close, because closing may block, or {@code null} if there is none. */
    private volatile @Nullable LettuceScripts discarded;

    /** The last connection that was closed because another one has replaced it: its client repeats no command. */
    private volatile @Nullable RedisConnectionFactory closing;

    /** Failed attempts that {@link #start} waits for; a successful attempt counts for all of them. */
    private volatile CountDownLatch startAttempts = new CountDownLatch(0);

    /** Set at the end of {@link #stop}. */
    private volatile boolean stopped;

    /** Whether the connection leads to a server that is no longer the master. */
    private volatile boolean notMaster;

    /**
     * The disconnections before the server was last asked who it is. The client reports the first opening of a
     * connection like each later one, and possibly after the first question.
     */
    private volatile long disconnectsAsked;

    private volatile ConnectionAttempts attempts;

    private volatile @Nullable Disposable topologyChanges;

    // The fields below belong to the connection thread.

    /** When the last connection was opened or the topology refreshed, by {@link System#nanoTime()}. */
    private long lastRefresh;

    /** The master of the last connection. */
    private @Nullable RedisNode lastMaster;

    /** Questions to the Sentinels while there is a connection. */
    private ConnectionAttempts questions;

    /** Creates a connection; {@link #start} opens it. */
    PrivateConnection(DerivedFactory recipe, LockKeys keys, RedisStoreSettings settings) {
        super(recipe, keys, settings);
        this.recipe = recipe;
        this.timeout = settings.commandTimeout();
        this.cluster = recipe.isCluster();
        this.loading = new ScriptLoading(this.servers, this.cluster);
        this.attempts = new ConnectionAttempts(this.servers);
        this.questions = new ConnectionAttempts(this.servers);
    }

    @Override
    void start(Listener listener) {
        this.listener = listener;
        this.attempts = new ConnectionAttempts(this.servers);
        this.questions = new ConnectionAttempts(this.servers);
        this.connectFailure = null;
        this.notMaster = false;
        this.stopped = false;
        this.lastMaster = null;
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, threads());
        this.background = executor;
        if (this.cluster) {
            this.topologyChanges = this.recipe
                    .eventLoops
                    .resources()
                    .eventBus()
                    .get()
                    .ofType(ClusterTopologyChangedEvent.class)
                    .subscribe(change -> moved());
        } else if (this.recipe.isSentinel()) {
            this.sentinels = new Sentinels(this.recipe, this.timeout, () -> inBackground(this::askForMaster));
            long period = DerivedFactory.refreshPeriod(this.timeout).toMillis();
            ScheduledFuture<?> unused =
                    executor.scheduleWithFixedDelay(this::askForMaster, period, period, TimeUnit.MILLISECONDS);
        }
        this.startAttempts = new CountDownLatch(2);
        checkAgain(0);
        try {
            // Milliseconds if Redis answers or refuses connections, both limits if it is silent; the application starts
            // in
            // each case.
            this.startAttempts.await(this.timeout.plus(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        if (this.current == null) {
            this.attempts.startedWithout();
        }
    }

    @Override
    void stop() {
        ScheduledThreadPoolExecutor executor = this.background;
        this.background = null;
        long limit = this.timeout.toMillis();
        try {
            if (executor != null) {
                executor.shutdownNow();
                // A connection that is being opened must not outlive this run.
                executor.awaitTermination(limit, TimeUnit.MILLISECONDS);
            }
            LettuceScripts open = lettuce();
            this.current = null;
            if (open != null) {
                open.close().join(limit);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        Disposable changes = this.topologyChanges;
        if (changes != null) {
            changes.dispose();
        }
        Sentinels asked = this.sentinels;
        this.sentinels = null;
        if (asked != null) {
            asked.close();
        }
        this.recipe.eventLoops.shutdown();
        this.stopped = true;
    }

    @Override
    boolean isConnected() {
        return this.current != null;
    }

    @Override
    String serversOf(@Nullable String key) {
        LettuceScripts open = lettuce();
        RedisClusterNode node = this.cluster && open != null && key != null
                ? ((RedisClusterClient) open.lettuce.getRequiredNativeClient())
                        .getPartitions()
                        .getPartitionBySlot(SlotHash.getSlot(key))
                : null;
        return node == null
                ? this.servers
                : this.servers + " (node " + node.getUri().getHost() + ':'
                        + node.getUri().getPort() + ')';
    }

    @Override
    String description() {
        return this.servers + " over a private connection";
    }

    @Override
    boolean isSingleServer() {
        LettuceScripts open = lettuce();
        return open != null && open.isSingleServer.get();
    }

    @Override
    boolean isPrivate() {
        return true;
    }

    // ---- Checks

    @Override
    void check() {
        unlessStopped(() -> {
            ScheduledThreadPoolExecutor executor = this.background;
            if (executor != null) {
                // On a full heap, it can lose its thread and keep what that was to run.
                boolean unused = executor.prestartCoreThread();
            }
            this.check.schedule(task -> runLater(task, 0));
        });
    }

    private void checkAgain(long delayMillis) {
        unlessStopped(() -> this.check.scheduleAgain(task -> runLater(task, delayMillis)));
    }

    @Override
    void findMaster() {
        this.notMaster = true;
        check();
    }

    /**
     * Only fields are written, because the stack may have no room for more. The next command opens another connection.
     */
    @Override
    void discard() {
        LettuceScripts open = lettuce();
        if (open != null) {
            this.discarded = open;
            this.current = null;
        }
    }

    /** Checks the connection and replaces it if necessary; runs again until that has succeeded. */
    private void runCheck() {
        boolean moved = this.notMaster;
        try {
            LettuceScripts open = lettuce();
            long pauseMillis = ConnectionAttempts.MAX_PAUSE_MILLIS
                    - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.lastRefresh);
            if (open != null && (moved || this.cluster) && pauseMillis > 0) {
                // A failover takes seconds, in which each failed command asks for the master again.
                checkAgain(pauseMillis);
                return;
            }
            this.notMaster = false;
            closeDiscarded();
            if (open != null && this.cluster) {
                refreshTopology(open);
            } else if (open == null || moved || !answers(open)) {
                replace(open);
            } else if (this.disconnects.get() != this.disconnectsAsked) {
                this.disconnectsAsked = this.disconnects.get();
                askAgain();
            }
            this.attempts.succeeded();
            this.connectFailure = null;
            this.check.ended();
            if (this.notMaster) {
                // While the connection was opened, its server was found not to be the master.
                check();
            }
            this.startAttempts.countDown();
            this.startAttempts.countDown();
        } catch (Throwable ex) {
            // A former master may answer: the next attempt must not be content with that.
            this.notMaster |= moved;
            Throwable known = this.connectFailure;
            Throwable failure = known != null && RedisErrors.isUnexplained(ex) ? known : ex;
            this.connectFailure = failure;
            long pauseMillis = this.background != null ? this.attempts.failed(failure) : 0;
            this.startAttempts.countDown();
            checkAgain(pauseMillis);
        } finally {
            if (this.stopped) {
                // This attempt took longer than stop() waited, and may have started the event loops again.
                this.recipe.eventLoops.shutdown();
            }
        }
    }

    private void closeDiscarded() {
        LettuceScripts damaged = this.discarded;
        this.discarded = null;
        if (damaged != null) {
            Thread unused = damaged.close();
        }
    }

    /** Refreshes the topology in the background, which Lettuce does late after the failure of a node. */
    private void refreshTopology(LettuceScripts open) {
        this.lastRefresh = System.nanoTime();
        readFormat(open);
        CompletionStage<?> unused =
                ((RedisClusterClient) open.lettuce.getRequiredNativeClient()).refreshPartitionsAsync();
    }

    private boolean answers(LettuceScripts open) {
        try {
            ping(open, this.timeout);
            return true;
        } catch (RuntimeException ex) {
            return false;
        }
    }

    private void ping(LettuceScripts open, Duration limit) {
        // In a cluster PING would ask every node, and one that is down must not affect locks on the others. There
        // Lettuce supervises the connection to each node.
        if (!this.cluster) {
            // This command is sent first on the same connection. Its reply therefore arrives first, without an
            // additional round trip.
            readFormat(open);
            try {
                String unused =
                        LettuceFutures.awaitOrCancel(open.commands.ping(), limit.toMillis(), TimeUnit.MILLISECONDS);
            } catch (RedisCommandExecutionException ex) {
                if (!RedisErrors.isMissingCommand(ex)) {
                    throw ex;
                }
                // An answer, of a server whose PING was renamed.
            } catch (RedisCommandTimeoutException ex) {
                throw new RedisCommandTimeoutException(Printable.of("no reply within " + limit.toMillis() + " ms"));
            }
        }
    }

    private void readFormat(LettuceScripts open) {
        CompletableFuture<?> unused = this.format.read(open);
    }

    private void replace(@Nullable LettuceScripts replaced) {
        this.lastRefresh = System.nanoTime();
        boolean isPatient = this.startAttempts.getCount() == 1;
        Duration limit = isPatient && this.timeout.compareTo(PATIENCE) < 0 ? PATIENCE : this.timeout;
        DerivedFactory patient = this.recipe.connectingWithin(limit);
        Sentinels asked = this.sentinels;
        RedisNode master = asked == null ? null : isPatient ? Sentinels.ask(patient, limit) : asked.await();
        LettuceScripts opened;
        try {
            opened = open(master != null ? patient.ofNode(master) : patient, master, limit);
        } catch (RuntimeException ex) {
            if (replaced != null && !Objects.equals(master, replaced.master)) {
                // The answers of a former master prove nothing.
                this.current = null;
                Thread unused = replaced.close();
            }
            throw ex;
        }
        if (this.background == null) {
            // The connection was stopped while the new one was opened.
            Thread unused = opened.close();
            return;
        }
        this.current = opened;
        toListener(notified -> notified.connected(opened.factory));
        if (replaced != null) {
            // The reply follows those to all commands that were sent before: none of them remains unknown.
            boolean unused = answers(replaced);
            this.closing = replaced.factory;
            Thread unusedToo = replaced.close();
        }
        RedisNode before = this.lastMaster;
        this.lastMaster = master;
        if (before != null && !before.equals(master)) {
            logger.info("Distributed locks use the new master " + master + " instead of " + before + '.');
            moved();
        }
        logTime(replaced != null ? replaced.timeFailures : null, opened);
        if (replaced != null) {
            askForServer(opened);
        } else {
            // In a cluster the node with the key of the format may differ from the nodes that have answered.
            CompletableFuture<?> version =
                    this.cluster ? this.format.read(opened) : CompletableFuture.completedFuture(null);
            if (checkServer(opened, version) || (!this.cluster && !opened.isSingleServer.get())) {
                toListener(Listener::messagesMayBeRefused);
            }
        }
    }

    /**
     * Opens a connection and waits until it has answered.
     *
     * @param master the server if Sentinel has named it, null otherwise
     * @param limit how long the answer may take
     */
    private LettuceScripts open(DerivedFactory recipe, @Nullable RedisNode master, Duration limit) {
        this.disconnectsAsked = this.disconnects.get();
        LettuceConnectionFactory factory = recipe.create();
        try {
            Runnable lost = () -> toListener(notified -> notified.subscriptionLost(factory));
            Runnable broken = () -> {
                if (factory != this.closing) {
                    this.disconnects.incrementAndGet();
                }
            };
            new DisconnectMonitor(broken, this::reconnected, lost).watch(factory);
            this.loading.watch(factory);
            ReplyTimeouts timeouts = new ReplyTimeouts(this.timeout, this.recipe.eventLoops::runLater);
            LettuceScripts opened = new LettuceScripts(master, factory, this.servers, this.cluster, timeouts);
            CompletableFuture<Object> time = askForTime(opened);
            ping(opened, limit);
            noteTime(opened, time, limit);
            if (!this.cluster) {
                opened.probeSlots(this.keys);
            }
            this.loading.begin(LuaScript.Variant.needed(!this.messages.isByScript, opened.hasTime));
            return opened;
        } catch (RuntimeException ex) {
            factory.destroy();
            throw ex;
        }
    }

    private @Nullable LettuceScripts lettuce() {
        return (LettuceScripts) this.current;
    }

    // ---- Changes

    /**
     * Checks a connection that the client has reopened, and then asks the server, which may have been restarted with
     * another version and other permissions. In a cluster the client opens connections for its own purposes, too.
     */
    private void reconnected() {
        if (this.cluster) {
            askAgainLater();
        } else {
            check();
        }
    }

    private void moved() {
        LettuceScripts open = lettuce();
        if (this.cluster && open != null) {
            readFormat(open);
            askAgain();
        }
        toListener(Listener::moved);
    }

    private void toListener(Consumer<Listener> event) {
        Listener notified = this.listener;
        if (notified != null) {
            event.accept(notified);
        }
    }

    /** Asks the Sentinels for the master; while there is no connection, each attempt to open one does so. */
    private void askForMaster() {
        LettuceScripts open = lettuce();
        Sentinels asked = this.sentinels;
        if (open == null || asked == null) {
            return;
        }
        try {
            CompletableFuture<?> unused = asked.find(open.master)
                    .whenComplete((master, failure) -> inBackground(() -> answered(open.master, master, failure)));
        } catch (RuntimeException ex) {
            // An exception would end the periodic task.
            answered(open.master, null, ex);
        }
    }

    private void answered(@Nullable RedisNode known, @Nullable RedisNode master, @Nullable Throwable failure) {
        if (failure != null) {
            long unused = this.questions.failed(failure);
            return;
        }
        this.questions.succeeded();
        LettuceScripts open = lettuce();
        if (open != null && Objects.equals(open.master, known) && !Objects.equals(master, known)) {
            findMaster();
        }
    }

    private void inBackground(Runnable task) {
        unlessStopped(() -> runLater(task, 0));
    }
}

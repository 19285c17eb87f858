package io.github.lockstarter.store.redis.connection;

import io.github.lockstarter.store.StackRoom;
import io.github.lockstarter.store.redis.error.RedisExceptionTranslator;
import io.github.lockstarter.store.redis.script.LettuceScriptExecutor;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * A connection that only the store uses. One background thread opens it, checks it after each failure, and replaces it
 * if it does not answer: a connection whose other end is gone can look open for minutes, and the reconnection of the
 * client may take longer than a lease lasts.
 */
public final class PrivateConnection implements StoreConnection {

    private static final LockLog logger = LockLog.of(PrivateConnection.class);

    /** Additional time that {@link #start} waits, because a cold JVM may take seconds to load the client. */
    private static final Duration COLD_START = Duration.ofSeconds(5);

    private final DerivedFactory recipe;

    private final ConnectionOpener opener;

    private final Duration timeout;

    private final DisconnectMonitor monitor = new DisconnectMonitor(this::reconnected);

    /** The check that is scheduled or running; null: there is none. One that was replaced in a race does nothing. */
    private volatile @Nullable Check checking;

    /** Null unless started. */
    private volatile @Nullable ScheduledThreadPoolExecutor background;

    private volatile @Nullable Listener listener;

    private volatile @Nullable OpenConnection connection;

    /** A connection that must be closed by another thread, because it may block; null: none. */
    private volatile @Nullable OpenConnection discarded;

    /** Failed attempts that {@link #start} waits for; a successful attempt counts for all of them. */
    private volatile CountDownLatch startAttempts = new CountDownLatch(0);

    private volatile @Nullable Throwable connectFailure;

    /** Set at the end of {@link #stop}. */
    private volatile boolean stopped;

    /** Whether the connection leads to a server that is not the master any more. */
    private volatile boolean notMaster;

    /**
     * When the last connection was opened or the topology refreshed, by {@link System#nanoTime()}; connection thread
     * only.
     */
    private long lastRefresh;

    private volatile ConnectionAttempts attempts;

    private final MasterWatch masters;

    /**
     * Creates a connection; {@link #start} opens it.
     *
     * @param timeout how long connecting and a command may take
     * @param optional which commands are used in addition to those of every store
     */
    public PrivateConnection(DerivedFactory recipe, LockKeys keys, Duration timeout, OptionalCommands optional) {
        this.recipe = recipe;
        this.timeout = timeout;
        this.opener = new ConnectionOpener(recipe, keys, timeout, optional, this.monitor, this::subscriptionLost);
        this.attempts = new ConnectionAttempts(recipe.servers());
        this.masters = new MasterWatch(recipe, timeout, () -> this.connection, this::findMaster, this::moved);
    }

    /** Returns how the connection is derived from the application's. */
    public DerivedFactory recipe() {
        return this.recipe;
    }

    @Override
    public void start(Listener listener) {
        this.listener = listener;
        this.attempts = new ConnectionAttempts(servers());
        this.connectFailure = null;
        this.notMaster = false;
        this.stopped = false;
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-connection-");
        threads.setDaemon(true);
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, threads);
        this.background = executor;
        this.masters.start(executor);
        this.startAttempts = new CountDownLatch(2);
        scheduleCheck(0);
        try {
            // Milliseconds if Redis answers, two timeouts if it is silent; the application starts in both cases. Two
            // attempts, because a cold JVM may take longer to load the client than the first one may take.
            this.startAttempts.await(this.timeout.plus(COLD_START).toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        if (this.connection == null) {
            this.attempts.startedWithout();
        }
    }

    @Override
    public void stop() {
        ScheduledThreadPoolExecutor executor = this.background;
        this.background = null;
        if (executor != null) {
            executor.shutdownNow();
            try {
                // A connection that is being opened must not outlive this run.
                executor.awaitTermination(this.timeout.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        }
        OpenConnection current = this.connection;
        this.connection = null;
        if (current != null) {
            current.factory().destroy();
        }
        this.masters.stop();
        this.recipe.shutdownEventLoops();
        this.stopped = true;
    }

    @Override
    public void check() {
        if (this.checking == null) {
            scheduleCheck(0);
        }
    }

    /** Only fields are written, because the stack may have no room for more. The next command opens another connection. */
    @Override
    public void discard() {
        OpenConnection current = this.connection;
        if (current != null) {
            this.discarded = current;
            this.connection = null;
        }
    }

    @Override
    public void findMaster() {
        this.notMaster = true;
        check();
    }

    /** Schedules a check. If that fails, the next failure of a command does so. */
    private void scheduleCheck(long delayMillis) {
        ScheduledThreadPoolExecutor executor = this.background;
        StackRoom.require();
        Check check = new Check();
        boolean isScheduled = false;
        this.checking = check;
        try {
            if (executor != null) {
                ScheduledFuture<?> unused = executor.schedule(check, delayMillis, TimeUnit.MILLISECONDS);
                isScheduled = true;
            }
        } catch (RejectedExecutionException | OutOfMemoryError ex) {
            // The store was stopped, or the system refuses a thread.
            logger.debug("The connection is not checked.", ex);
        } finally {
            if (!isScheduled) {
                this.checking = null;
            }
        }
    }

    private void closeDiscarded() {
        OpenConnection damaged = this.discarded;
        this.discarded = null;
        if (damaged != null) {
            Thread closing = new Thread(damaged.factory()::destroy, "lock-connection-closing");
            closing.setDaemon(true);
            closing.start();
        }
    }

    /** Checks the connection and replaces it if necessary; runs again until that has succeeded. */
    private void run() {
        boolean moved = this.notMaster;
        try {
            OpenConnection current = this.connection;
            long pauseMillis = current != null && (moved || isCluster()) ? untilNextRefresh() : 0;
            if (pauseMillis > 0) {
                // A failover takes seconds, in which each failed command asks for the master again.
                scheduleCheck(pauseMillis);
                return;
            }
            this.notMaster = false;
            closeDiscarded();
            if (current != null && isCluster()) {
                this.lastRefresh = System.nanoTime();
                this.opener.refreshTopology(current);
            } else if (current == null || moved || !this.opener.answers(current)) {
                replace(current);
            }
            this.attempts.succeeded();
            this.connectFailure = null;
            this.checking = null;
            if (this.notMaster) {
                // Found out meanwhile.
                check();
            }
            this.startAttempts.countDown();
            this.startAttempts.countDown();
        } catch (Throwable ex) {
            // A former master may answer: the next attempt must not be content with that.
            this.notMaster |= moved;
            Throwable known = this.connectFailure;
            Throwable failure = known != null && RedisExceptionTranslator.isUnexplained(ex) ? known : ex;
            this.connectFailure = failure;
            long pauseMillis = this.background != null ? this.attempts.failed(failure) : 0;
            this.startAttempts.countDown();
            scheduleCheck(pauseMillis);
        } finally {
            if (this.stopped) {
                // This attempt took longer than stop() waited, and may have started the event loops again.
                this.recipe.shutdownEventLoops();
            }
        }
    }

    private long untilNextRefresh() {
        return ConnectionAttempts.LONGEST_PAUSE_MILLIS
                - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.lastRefresh);
    }

    private void replace(@Nullable OpenConnection replaced) {
        this.lastRefresh = System.nanoTime();
        RedisNode master = this.masters.find();
        OpenConnection opened;
        try {
            opened = this.opener.open(master);
        } catch (RuntimeException ex) {
            if (replaced != null && !Objects.equals(master, replaced.master())) {
                // The answers of a former master prove nothing.
                this.connection = null;
                replaced.factory().destroy();
            }
            throw ex;
        }
        if (this.background == null) {
            // Stopped meanwhile.
            opened.factory().destroy();
            return;
        }
        this.connection = opened;
        toListener(notified -> notified.connected(opened.factory()));
        if (replaced != null) {
            replaced.factory().destroy();
        }
        this.masters.connected(master);
        if (replaced == null) {
            this.opener.checkServer(opened);
        }
    }

    /** Checks a connection that the client has reopened. In a cluster it opens connections for its own purposes, too. */
    private void reconnected() {
        if (!isCluster()) {
            check();
        }
    }

    private void moved() {
        OpenConnection current = this.connection;
        if (isCluster() && current != null) {
            this.opener.readFormat(current);
        }
        toListener(Listener::moved);
    }

    private void subscriptionLost(RedisConnectionFactory factory) {
        toListener(notified -> notified.subscriptionLost(factory));
    }

    private void toListener(Consumer<Listener> event) {
        Listener notified = this.listener;
        if (notified != null) {
            event.accept(notified);
        }
    }

    @Override
    public WireFormat format() {
        return this.opener.format();
    }

    @Override
    public boolean isConnected() {
        return this.connection != null;
    }

    @Override
    public @Nullable StringRedisTemplate template() {
        OpenConnection current = this.connection;
        return current != null ? current.template() : null;
    }

    @Override
    public @Nullable LettuceScriptExecutor scripts() {
        OpenConnection current = this.connection;
        return current != null ? current.scripts() : null;
    }

    @Override
    public @Nullable Throwable connectFailure() {
        return this.connectFailure;
    }

    @Override
    public boolean isPrivate() {
        return true;
    }

    @Override
    public boolean isCluster() {
        return this.recipe.isCluster();
    }

    @Override
    public boolean countsAllReceivers() {
        OpenConnection current = this.connection;
        return !isCluster()
                && (current == null || !current.scripts().crossSlotSupport().isRejected());
    }

    @Override
    public long disconnects() {
        // Lettuce 6.7 and newer reject commands in flight when a connection breaks; older versions always repeat them.
        return this.monitor.count();
    }

    @Override
    public String description() {
        return servers() + " over a private connection";
    }

    @Override
    public String servers() {
        return this.recipe.servers();
    }

    private final class Check implements Runnable {

        @Override
        public void run() {
            if (PrivateConnection.this.checking == this) {
                PrivateConnection.this.run();
            }
        }
    }
}

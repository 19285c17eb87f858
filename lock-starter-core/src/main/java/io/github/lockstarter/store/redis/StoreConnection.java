package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockInventory.Server;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Connects the store to Redis: over a private connection or over the application's connection factory. Thread-safe,
 * except that {@link #start} and {@link #stop} must not run at the same time. All other methods return without
 * blocking.
 *
 * <p>A command reads {@link #current} once and uses what it has read. The methods that check or replace a connection do
 * nothing here: the application's client reconnects and follows a failover by itself.
 */
abstract class StoreConnection {

    private static final LockLog logger = LockLog.of(StoreConnection.class);

    /** Shortest time between two questions about the time of the server that failures of commands cause. */
    private static final long ASK_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * How long after a refusal the question follows: without TIME, tokens have milliseconds, so that one in the
     * millisecond of the last grant with TIME could be the smaller one.
     */
    private static final long ASK_DELAY_MILLIS = 2;

    static final String TIME_REMEDY =
            "Use Redis 7.0 or newer, or Valkey, or permit one of the commands TIME and PEXPIRETIME; see the page"
                    + " docs/reference/redis.md#time-of-the-server of the manual.";

    /** The servers as messages name them, without credentials. */
    final String servers;

    final LockKeys keys;

    final RedisStoreSettings settings;

    /** The configuration of the application's factory, or {@code null} if it is not known. */
    final @Nullable DerivedFactory configuration;

    /** Decides whether locks may be acquired over this connection. */
    final WireFormat format;

    /** Decides how messages about grants are published over this connection. */
    final MessageRoute messages;

    /**
     * Grows whenever a connection breaks. A client repeats a command only after that; new connections therefore do not
     * count. Lettuce 6.7 and newer reject commands in flight when a private connection breaks; older versions always
     * repeat them.
     */
    final AtomicLong disconnects = new AtomicLong();

    /** {@code null} while there is no private connection. */
    volatile @Nullable OpenConnection current;

    /** Whether the last check has found that the server rejects the commands of locks. */
    volatile boolean isUnusable;

    /** The server as it is configured, whose product is not known. */
    final Server configuredServer;

    /** The server, as far as it is known. */
    volatile Server server;

    /** When a failure has last caused the question about the time, by {@link System#nanoTime()}. */
    private final AtomicLong askedAt = new AtomicLong(System.nanoTime() - ASK_PAUSE_NANOS);

    /**
     * {@code null} unless the connection is started. Over the application's connection, a task may block for as long as
     * its client permits.
     */
    volatile @Nullable ScheduledThreadPoolExecutor background;

    /** Why the last attempt to connect failed, or {@code null} if it succeeded or there was none. */
    volatile @Nullable Throwable connectFailure;

    StoreConnection(@Nullable DerivedFactory configuration, LockKeys keys, RedisStoreSettings settings) {
        this.servers = configuration != null ? configuration.servers() : "Redis";
        this.configuredServer =
                configuration != null ? configuration.server() : new Server(null, null, null, null, null);
        this.server = this.configuredServer;
        this.keys = keys;
        this.settings = settings;
        this.configuration = configuration;
        this.format = new WireFormat(keys, servers);
        this.messages = new MessageRoute(settings.messages(), servers);
    }

    /**
     * Starts to connect, and waits a limited time for the connection. A server that cannot be reached is no error.
     *
     * @param listener called on background threads until {@link #stop}
     */
    abstract void start(Listener listener);

    /** Closes what {@link #start} opened. The connection may be started again. */
    abstract void stop();

    /** Returns a factory of threads for the connection. */
    static ThreadFactory threads() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-connection-");
        threads.setDaemon(true);
        return threads;
    }

    /** See {@link LockStore#obstacle}. */
    @Nullable
    String obstacle() {
        return !isConnected() ? "without a connection" : this.isUnusable ? "at a server that rejects them" : null;
    }

    /** Returns whether Redis is connected, as far as is known without I/O. */
    abstract boolean isConnected();

    /** Returns the servers and the kind of connection, for the log. */
    abstract String description();

    /** Returns whether the server counts all subscribers of a channel, as far as is known: no cluster and no proxy. */
    boolean isSingleServer() {
        return false;
    }

    /** Returns whether the connection is private to the store. */
    boolean isPrivate() {
        return false;
    }

    /** Checks the connection in the background, and reconnects if it does not answer. */
    void check() {}

    /** Connects to the current master in the background, even if the connection answers. */
    void findMaster() {}

    /** Stops using the present connection, which an Error may have left in a state in which it blocks its callers. */
    void discard() {}

    /**
     * Translates the failure of a command, and starts the check of the connection that the failure calls for.
     *
     * @param failure what the client threw, possibly in a {@link CompletionException}
     * @param subject what the command was for, such as {@code lock 'a'}
     * @param key the key of the command, or {@code null} if it is unknown
     */
    LockStoreException failed(Throwable failure, String subject, @Nullable String key) {
        LockStoreException translated =
                RedisErrors.translate(failure, serversOf(key), subject, isPrivate(), this.connectFailure);
        if (RedisErrors.isNotMaster(failure)) {
            findMaster();
        } else if (translated.isTransient() && !RedisErrors.isInterrupt(failure)) {
            check();
        } else if (RedisErrors.isRefused(failure)) {
            askAgainLater();
        }
        return translated;
    }

    /** Executes a task on the background thread, with a delay, until the connection is stopped. */
    final void runLater(Runnable task, long delayMillis) {
        ScheduledThreadPoolExecutor executor = this.background;
        if (executor == null) {
            throw new RejectedExecutionException("The store was stopped.");
        }
        ScheduledFuture<?> unused = executor.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
    }

    /** Schedules a task. If that fails, the next failure of a command does so again. */
    static void unlessStopped(Runnable scheduling) {
        try {
            scheduling.run();
        } catch (RejectedExecutionException | OutOfMemoryError ex) {
            logger.debug("The connection is not checked: the store was stopped, or the system refuses a thread.", ex);
        }
    }

    // ---- The server

    /**
     * Checks the server of a new connection.
     *
     * @param another a reply that is awaited as well
     * @return whether the server refuses that scripts publish
     */
    final boolean checkServer(OpenConnection opened, Future<?> another) {
        ServerCheck checked = new ServerCheck(this, opened);
        this.isUnusable = checked.run(another);
        this.server = checked.server;
        String refusal = checked.refusedMessage;
        if (refusal != null) {
            this.messages.refused(refusal);
        }
        return refusal != null;
    }

    /** Asks the server which commands show its time. */
    final CompletableFuture<Object> askForTime(OpenConnection opened) {
        return opened.start(new ScriptCommands.Call(LuaScript.CHECK_TIME, List.of(this.keys.keyOf(""))));
    }

    /**
     * Notes which commands show the time, before any command of a lock is sent. The check of the server reports a
     * refusal.
     *
     * @throws LockStoreException if there is no answer yet
     */
    static void noteTime(OpenConnection opened, CompletableFuture<Object> time, Duration limit) {
        try {
            opened.noteTime(ScriptCommands.toFailures(time.get(limit.toNanos(), TimeUnit.NANOSECONDS)));
        } catch (ExecutionException | TimeoutException ex) {
            if (!RedisErrors.isRefused(ex)) {
                throw RedisErrors.translate(ex, "Redis", "the time of the server", true, null);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Asks again, in the background, after a refusal or on a new connection: another server may answer, or the server
     * may have begun to refuse a command.
     */
    final void askAgainLater() {
        long now = System.nanoTime();
        long last = this.askedAt.get();
        if (now - last < ASK_PAUSE_NANOS || !this.askedAt.compareAndSet(last, now)) {
            return;
        }
        unlessStopped(() -> runLater(this::askAgain, ASK_DELAY_MILLIS));
    }

    /** Asks for the time, and logs a change, and for the product and its version. */
    final void askAgain() {
        OpenConnection asked = this.current;
        if (asked != null) {
            askForServer(asked);
            CompletionStage<?> unused = askForTime(asked).thenAccept(checked -> {
                Map<String, String> before = asked.timeFailures;
                asked.noteTime(ScriptCommands.toFailures(checked));
                logTime(before, asked);
            });
        }
    }

    final void askForServer(OpenConnection asked) {
        CompletionStage<?> unused =
                asked.info().thenAccept(info -> this.server = ServerCheck.described(this.configuredServer, info));
    }

    /**
     * Logs how the server shows its time, if that has changed.
     *
     * @param before the failures of the connection before, or {@code null} if the server is checked, which reports
     *     commands that are missing
     */
    final void logTime(@Nullable Map<String, String> before, OpenConnection now) {
        Map<String, String> failures = now.timeFailures;
        boolean isShown = failures.isEmpty() || (!now.hasTime && !failures.containsKey("PEXPIRETIME"));
        if (failures.equals(before == null ? Map.of() : before) || (before == null && !isShown)) {
            return;
        }
        if (failures.isEmpty()) {
            logger.info(this.servers + " permits TIME in scripts again, which locks use from now on.");
        } else if (!isShown) {
            logger.error(this.servers + " shows no time in scripts (" + failures + "): locks fail. " + TIME_REMEDY);
        } else {
            logger.info(this.servers + " refuses TIME in scripts (" + failures.get("TIME")
                    + "). Locks use the end of their keys as the time from now on, by PEXPIRETIME.");
        }
    }

    /** Returns the servers as messages name them, with the node of the key in a cluster if it is known. */
    String serversOf(@Nullable String key) {
        return this.servers;
    }

    /** Creates the exception for a command that was not sent because there is no connection, which is checked then. */
    LockStoreException notConnected(String subject) {
        check();
        return RedisErrors.notConnected(this.servers, subject, this.connectFailure);
    }

    /** Receives changes of the connection, on background threads. */
    interface Listener {

        /** Called when commands go over this factory from now on; subscriptions over an earlier one end with it. */
        void connected(RedisConnectionFactory factory);

        /** Called when the server was checked, and may not deliver what scripts publish. */
        default void messagesMayBeRefused() {}

        /**
         * Called when commands go to another master from now on, which may not have what the one before had. Follows
         * {@link #connected} if there is a new connection.
         */
        void moved();

        /** Called when the connection of a subscription over this factory broke; the client reopens it by itself. */
        void subscriptionLost(RedisConnectionFactory factory);
    }
}

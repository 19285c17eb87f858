package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockInventory.Server;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.script.LockKeys;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
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

    /** An open connection, which the factory owns. */
    static class Open {

        final RedisConnectionFactory factory;

        /** For blocking commands. */
        final StringRedisTemplate template;

        /** The errors of the commands that show the time of the server in scripts, by the names of the commands. */
        volatile Map<String, String> timeFailures = Map.of();

        /** Whether scripts ask for the time by {@code TIME}. */
        volatile boolean hasTime = true;

        Open(RedisConnectionFactory factory) {
            this(factory, new StringRedisTemplate(factory));
        }

        Open(RedisConnectionFactory factory, StringRedisTemplate template) {
            this.factory = factory;
            this.template = template;
            // Only the store sees the connection; without this each call would create a proxy that suppresses close().
            this.template.setExposeConnection(true);
        }

        void noteTime(Map<String, String> failures) {
            this.timeFailures = failures;
            this.hasTime = shows("TIME");
        }

        /** Returns whether the command shows the time of the server, possibly after a permission was granted. */
        boolean shows(String command) {
            String error = this.timeFailures.get(command);
            return error == null || RedisErrors.isMissingPermission(error) || !RedisErrors.isUnsupported(error);
        }
    }

    /** The servers as messages name them, without credentials. */
    final String servers;

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
    volatile @Nullable Open current;

    /** Whether the last check has found that the server rejects the commands of locks. */
    volatile boolean isUnusable;

    /** The server, as far as it is known. */
    volatile Server server = new Server(null, null, null, null, null);

    /** Why the last attempt to connect failed, or {@code null} if it succeeded or there was none. */
    volatile @Nullable Throwable connectFailure;

    StoreConnection(String servers, LockKeys keys, RedisStoreSettings settings) {
        this.servers = servers;
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
        }
        return translated;
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

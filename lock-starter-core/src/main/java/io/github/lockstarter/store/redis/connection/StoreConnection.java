package io.github.lockstarter.store.redis.connection;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.error.ErrorReplies;
import io.github.lockstarter.store.redis.error.RedisExceptionTranslator;
import io.github.lockstarter.store.redis.script.LettuceScriptExecutor;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Connects the store to Redis: over a private connection or over the application's connection factory. Thread-safe,
 * except that {@link #start} and {@link #stop} must not run at the same time. All other methods return without
 * blocking.
 */
public interface StoreConnection {

    /**
     * Starts to connect, and waits a limited time for the connection. A server that cannot be reached is no error.
     *
     * @param listener called on background threads until {@link #stop}
     */
    void start(Listener listener);

    /** Closes what {@link #start} opened. The connection may be started again. */
    void stop();

    /** Returns the template for blocking commands; null while there is no private connection. */
    @Nullable
    StringRedisTemplate template();

    /** Returns the executor for script calls without the template; null while there is no private connection. */
    @Nullable
    LettuceScriptExecutor scripts();

    /** Returns the comparison of formats, which decides whether locks may be acquired over this connection. */
    WireFormat format();

    /** Returns whether Redis is connected, as far as is known without I/O. */
    boolean isConnected();

    /** Returns why the last attempt to connect failed; null if it succeeded or there was none. */
    @Nullable
    Throwable connectFailure();

    /** Checks the connection in the background, and reconnects if it does not answer. */
    void check();

    /** Connects to the current master in the background, even if the connection answers. */
    void findMaster();

    /** Stops using the present connection, which an Error may have left in a state in which it blocks its callers. */
    void discard();

    /** Returns whether the connection is private to the store, so that {@link #isCluster()} is known. */
    boolean isPrivate();

    /** Returns whether the private connection leads to a cluster; false for the application's connection factory. */
    boolean isCluster();

    /**
     * Returns whether {@code PUBLISH} reports all receivers of a message: a node of a cluster counts only its own
     * clients.
     */
    boolean countsAllReceivers();

    /** Returns a number that changes whenever a connection breaks on which the client repeats commands by itself. */
    long disconnects();

    /** Returns the servers and the kind of connection, for the log. */
    String description();

    /** Returns the servers as messages name them, without credentials. */
    String servers();

    /**
     * Translates the failure of a command, and starts the check of the connection that the failure calls for.
     *
     * @param failure what the client threw, possibly in a {@link CompletionException}
     * @param subject what the command was for, such as {@code lock 'a'}
     */
    default LockStoreException failed(Throwable failure, String subject) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        LockStoreException translated = cause instanceof LockStoreException known
                ? known
                : RedisExceptionTranslator.translate(cause, servers(), subject, isPrivate(), connectFailure());
        if (ErrorReplies.isNotMaster(cause)) {
            findMaster();
        } else if (translated.isTransient() && !RedisExceptionTranslator.isInterrupt(cause)) {
            check();
        }
        return translated;
    }

    /** Creates the exception for a command that was not sent because there is no connection. */
    default LockStoreException notConnected(String subject) {
        return RedisExceptionTranslator.notConnected(servers(), subject, connectFailure());
    }

    /** Receives changes of the connection, on background threads. */
    interface Listener {

        /** Called when commands go over this factory from now on; subscriptions over an earlier one end with it. */
        void connected(RedisConnectionFactory factory);

        /**
         * Called when commands go to another master from now on, which may not have what the one before had. Follows
         * {@link #connected} if there is a new connection.
         */
        void moved();

        /** Called when the connection of a subscription over this factory broke; the client reopens it by itself. */
        void subscriptionLost(RedisConnectionFactory factory);
    }
}

package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** How the store reaches Redis: over a connection of its own, or over the application's. */
interface RedisLink {

    /** Starts to connect, and waits a moment for it. */
    void start(Listener listener);

    void stop();

    /** For commands, now; null while there is no connection. Never connects on the calling thread if it can be helped. */
    @Nullable
    StringRedisTemplate template();

    /** Whether Redis has been reached, as far as is known without asking. */
    boolean isConnected();

    /** Why the last attempt to connect failed; null if it did not. */
    @Nullable
    Throwable trouble();

    /** Something went wrong on the connection: has it looked at in the background. */
    void suspect();

    /** A server answered that is not the master any more: has the master looked for, even if the connection is fine. */
    void misled();

    /**
     * Puts what the client threw into our terms, and has done about it what can be done.
     *
     * @param subject what messages call the lock that Redis was asked for
     */
    default LockStoreException failed(Throwable failure, String subject) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        LockStoreException translated =
                cause instanceof LockStoreException known ? known : RedisErrors.translate(cause, subject, this);
        if (RedisErrors.isOfReplaced(cause)) {
            misled();
        } else if (translated.isTransient() && !RedisErrors.isInterrupt(cause)) {
            suspect();
        }
        return translated;
    }

    /** Whether the connection is the store's own, and {@link #isCluster()} known. */
    boolean isPrivate();

    boolean isCluster();

    /** Whether the receivers that {@code PUBLISH} counts are all there are: a node of a cluster counts its own. */
    boolean countsReceivers();

    /** For script calls without the template; null if there is no connection, or none of the store's own. */
    @Nullable
    ScriptCalls calls();

    /** Changes whenever a connection breaks over which the client repeats commands by itself. */
    long breaks();

    String description();

    /** Which servers, for messages, without credentials. */
    String servers();

    /** Hears of links that come up and break, on background threads. */
    interface Listener {

        /** Commands go over this factory from now on; what hung on an earlier one must move. */
        void connected(RedisConnectionFactory factory);

        /** The connection of a subscription over that factory broke, and the client opens it again. */
        void subscriptionBroke(RedisConnectionFactory factory);
    }
}

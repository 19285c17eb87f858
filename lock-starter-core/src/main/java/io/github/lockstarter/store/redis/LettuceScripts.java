package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.text.LockLog;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * An open private connection, which calls scripts over Lettuce's own API besides the template: for calls without a
 * blocked thread, for batches of renewals, and for releases that a waiter depends on. Commands are written in the order
 * of the calls. Thread-safe.
 */
final class LettuceScripts extends OpenConnection {

    private static final LockLog logger = LockLog.of(LettuceScripts.class);

    /** The server if Sentinel has named it, null otherwise. */
    final @Nullable RedisNode master;

    final LettuceConnectionFactory lettuce;

    /** The connection that is shared by all users of the factory. */
    final RedisClusterAsyncCommands<byte[], byte[]> commands;

    /**
     * Limits the replies to {@link #start}. A timeout of Lettuce's own would cancel the command and lose its place in
     * the order.
     */
    final ReplyTimeouts timeouts;

    private final String servers;

    /**
     * The scripts whose text was sent, so that the server has it when it executes what follows, as far as is known,
     * with the reply to the call that has sent it, which distinguishes one sending from another.
     */
    private final ConcurrentMap<RedisScript<Object>, Object> sentTexts = new ConcurrentHashMap<>();

    /**
     * Whether one call may have keys of different hash slots, which renewing many locks in one call needs, and {@code
     * PUBLISH} reports all receivers. A node of a cluster rejects such a call before it executes anything, and counts
     * its own clients only; so does a proxy in front of a cluster. Both can be addressed as a single server.
     */
    final AtomicBoolean isSingleServer;

    /**
     * Opens the connection of a factory.
     *
     * @param master the server if Sentinel has named it, null otherwise
     * @param servers the servers as messages name them, without credentials
     * @param cluster whether the servers are known to be a cluster
     */
    @SuppressWarnings("unchecked")
    LettuceScripts(
            @Nullable RedisNode master,
            LettuceConnectionFactory factory,
            String servers,
            boolean cluster,
            ReplyTimeouts timeouts) {
        super(factory);
        this.master = master;
        this.lettuce = factory;
        try (RedisConnection connection = factory.getConnection()) {
            this.commands = (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
        }
        this.servers = servers;
        this.isSingleServer = new AtomicBoolean(!cluster);
        this.timeouts = timeouts;
    }

    /**
     * Calls a script without waiting for the reply, and without a timeout. The first call over a connection contains
     * the text of the script, because a repetition for a server that does not have the script is executed after
     * commands that were sent meanwhile. That can still happen: when the server loses its scripts, by {@code SCRIPT
     * FLUSH} or a failover, on another node of a cluster, if the server rejects the first call, and if two threads make
     * the first two calls. No more texts than one are under way for each script, unless a call is repeated twice: a
     * server that does not reply for a while would otherwise get one for each lock, and a text has up to 60 kB.
     *
     * @return completed on a thread that must not be blocked
     * @throws StackOverflowError if the stack is exhausted, after which the connection must no longer be used
     */
    @Override
    CompletableFuture<Object> start(ScriptCommands.Call call) {
        CompletableFuture<Object> reply = new CompletableFuture<>();
        start(call.textFor(this.hasTime), bytes(call.keys), bytes(List.of(call.arguments)), 0, reply);
        return reply;
    }

    @Override
    CompletableFuture<Object> startByDigest(String digest, String key) {
        RedisFuture<Object> sent = this.commands.evalsha(digest, ScriptOutputType.INTEGER, bytes(List.of(key)));
        return sent.toCompletableFuture();
    }

    @Override
    CompletableFuture<String> info() {
        return this.commands.info().toCompletableFuture();
    }

    private void start(
            RedisScript<Object> script,
            byte[][] keys,
            byte[][] values,
            int repetitions,
            CompletableFuture<Object> reply) {
        try {
            Object sender = textSender(script, repetitions, reply);
            Class<?> result = script.getResultType();
            ScriptOutputType type = result == List.class
                    ? ScriptOutputType.MULTI
                    : result == String.class ? ScriptOutputType.VALUE : ScriptOutputType.INTEGER;
            RedisFuture<Object> sent = sender != null
                    ? this.commands.evalsha(script.getSha1(), type, keys, values)
                    : this.commands.eval(bytes(script.getScriptAsString()), type, keys, values);
            CompletionStage<?> unused = sent.whenComplete((value, failure) -> {
                if (failure == null) {
                    reply.complete(value);
                } else if (sender != null && failure instanceof RedisNoScriptException) {
                    // Unless another call has sent the text since.
                    this.sentTexts.remove(script, sender);
                    start(script, keys, values, repetitions + 1, reply);
                } else {
                    if (sender == null) {
                        this.sentTexts.remove(script, reply);
                    }
                    if (keys.length > 1) {
                        noteSlots(failure);
                    }
                    reply.completeExceptionally(failure);
                }
            });
        } catch (StackOverflowError ex) {
            throw ex;
        } catch (Throwable ex) {
            this.sentTexts.remove(script, reply);
            // An Error as well: the caller relies on the completion.
            reply.completeExceptionally(ex);
        }
    }

    /**
     * Returns the reply to the call that has sent the text of the script, or {@code null} if this call must contain the
     * text.
     */
    private @Nullable Object textSender(RedisScript<Object> script, int repetitions, CompletableFuture<Object> reply) {
        if (repetitions > 1) {
            // Behind a proxy, the text has reached another server.
            return null;
        }
        Object present = this.sentTexts.get(script);
        return present != null ? present : this.sentTexts.putIfAbsent(script, reply);
    }

    /**
     * Sends a script call with two keys of different slots that no lock has, without waiting for the reply. It arrives
     * before the replies to all commands that are sent later over the same connection.
     */
    void probeSlots(LockKeys keys) {
        byte[][] ofTwoSlots = bytes(List.of(keys.ofNoLock('0'), keys.ofNoLock('1')));
        CompletionStage<?> unused = this.commands
                .eval(bytes("return 1"), ScriptOutputType.INTEGER, ofTwoSlots)
                .whenComplete((result, failure) -> noteSlots(failure));
    }

    /**
     * Makes no more calls with keys of different slots over this connection if the server has rejected one because of
     * that.
     */
    private void noteSlots(@Nullable Throwable failure) {
        if (failure != null && RedisErrors.isCrossSlot(failure) && this.isSingleServer.compareAndSet(true, false)) {
            logger.info(
                    this.servers + " belongs to a cluster and rejects commands with keys of different slots. Each lock"
                            + " is renewed with a command of its own instead of many locks with one; nothing else"
                            + " changes. If the cluster has several shards, set spring.data.redis.cluster.nodes"
                            + " instead of host and port.");
        }
    }

    /**
     * Closes the connection, and fails what has no reply. Returns the thread that closes it, which never ends if the
     * event loop of the connection has ended.
     */
    Thread close() {
        Thread closing = new Thread(
                () -> {
                    this.timeouts.failAll();
                    this.lettuce.destroy();
                },
                "lock-connection-closing");
        closing.setDaemon(true);
        closing.start();
        return closing;
    }

    /** Completes the future as the stage completes. */
    static <T> void forward(CompletionStage<? extends T> from, CompletableFuture<T> to) {
        CompletionStage<?> unused = from.whenComplete((value, failure) -> {
            if (failure == null) {
                to.complete(value);
            } else {
                to.completeExceptionally(failure);
            }
        });
    }

    /** Returns texts as servers store them. */
    static byte[][] bytes(List<String> texts) {
        byte[][] values = new byte[texts.size()][];
        for (int i = 0; i < values.length; i++) {
            values[i] = bytes(texts.get(i));
        }
        return values;
    }
}

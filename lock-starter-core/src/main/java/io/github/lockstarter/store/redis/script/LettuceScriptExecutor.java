package io.github.lockstarter.store.redis.script;

import io.github.lockstarter.text.Printable;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ObjLongConsumer;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Calls scripts over Lettuce's own API instead of the template: for calls without a blocked thread, for batches of
 * renewals, and for releases that a waiter depends on. Commands are written in the order of the calls. Thread-safe.
 */
public final class LettuceScriptExecutor {

    private final RedisClusterAsyncCommands<byte[], byte[]> commands;

    private final Duration timeout;

    private final ReplyTimeouts timeouts;

    private final CrossSlotSupport crossSlotSupport;

    /** Scripts that the server has executed once and has cached since, as far as is known. */
    private final Set<LuaScript<?>> cached = ConcurrentHashMap.newKeySet();

    /**
     * Creates an executor.
     *
     * @param commands the connection to use
     * @param timeout time after which a call without a reply fails
     * @param timer runs a task once after some nanoseconds, on a thread that must not be blocked
     * @param crossSlotSupport whether the server takes keys of different slots
     */
    public LettuceScriptExecutor(
            RedisClusterAsyncCommands<byte[], byte[]> commands,
            Duration timeout,
            ObjLongConsumer<Runnable> timer,
            CrossSlotSupport crossSlotSupport) {
        this.commands = commands;
        this.crossSlotSupport = crossSlotSupport;
        this.timeout = timeout;
        this.timeouts = new ReplyTimeouts(timeout, timer);
    }

    /** Returns the commands of the connection that is shared by all users of that factory. */
    @SuppressWarnings("unchecked")
    public static RedisClusterAsyncCommands<byte[], byte[]> commandsOver(LettuceConnectionFactory factory) {
        try (RedisConnection connection = factory.getConnection()) {
            return (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
        }
    }

    /** Returns whether one call may have keys of different slots. */
    public CrossSlotSupport crossSlotSupport() {
        return this.crossSlotSupport;
    }

    /**
     * Calls a script and waits for the reply.
     *
     * @throws RedisException if the server rejected the call, the connection failed or there is no reply in time
     */
    public <T> T call(LuaScript<T> script, List<String> keys, List<String> arguments) {
        long deadline = System.nanoTime() + this.timeout.toNanos();
        byte[][] keyBytes = bytes(keys);
        byte[][] values = bytes(arguments);
        ScriptOutputType type = outputOf(script);
        try {
            return await(this.commands.<T>evalsha(script.getSha1(), type, keyBytes, values), deadline);
        } catch (RedisNoScriptException ex) {
            return await(this.commands.<T>eval(bytes(script.getScriptAsString()), type, keyBytes, values), deadline);
        }
    }

    private <T> T await(RedisFuture<T> reply, long deadline) {
        try {
            return reply.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new RedisCommandInterruptedException(ex);
        } catch (TimeoutException ex) {
            boolean unused = reply.cancel(true);
            throw new RedisCommandTimeoutException(Printable.of("no reply within " + this.timeout.toMillis() + " ms"));
        } catch (ExecutionException ex) {
            // An error reply, or a checked failure of the connection, after which the call may have been executed.
            throw ex.getCause() instanceof RuntimeException cause ? cause : new RedisException(ex.getCause());
        }
    }

    /** As {@link #start}, but fails with a {@link TimeoutException} if there is no reply in time. */
    public <T> CompletionStage<T> send(LuaScript<T> script, List<String> keys, String... arguments) {
        CompletableFuture<T> limited = new CompletableFuture<>();
        limit(limited);
        CompletionStage<?> unused = start(script, keys, List.of(arguments)).whenComplete((reply, failure) -> {
            if (failure == null) {
                limited.complete(reply);
            } else {
                limited.completeExceptionally(failure);
            }
        });
        return limited;
    }

    /**
     * Fails the future with a {@link TimeoutException} unless it is completed within the timeout of a command. A timeout of
     * Lettuce's own would cancel the command and lose its place in the order.
     */
    public void limit(CompletableFuture<?> reply) {
        this.timeouts.limit(reply);
    }

    /**
     * Calls a script without waiting for the reply, and without a timeout. The text of the script is sent until the server has
     * executed it once, because a repetition for a server that does not have the script would be executed after commands
     * that were sent meanwhile. That can still happen when the server loses its scripts, by {@code SCRIPT FLUSH} or a failover.
     *
     * @return completed on a thread that must not be blocked
     * @throws StackOverflowError after which the connection must not be used any more
     */
    public <T> CompletableFuture<T> start(LuaScript<T> script, List<String> keys, List<String> arguments) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        start(script, bytes(keys), bytes(arguments), reply);
        return reply;
    }

    private <T> void start(LuaScript<T> script, byte[][] keys, byte[][] values, CompletableFuture<T> reply) {
        boolean isCached = this.cached.contains(script);
        try {
            RedisFuture<T> sent = isCached
                    ? this.commands.evalsha(script.getSha1(), outputOf(script), keys, values)
                    : this.commands.eval(bytes(script.getScriptAsString()), outputOf(script), keys, values);
            CompletionStage<?> unused = sent.whenComplete((value, failure) -> {
                if (failure == null) {
                    if (!isCached) {
                        this.cached.add(script);
                    }
                    reply.complete(value);
                } else if (isCached && failure instanceof RedisNoScriptException) {
                    this.cached.remove(script);
                    start(script, keys, values, reply);
                } else {
                    reply.completeExceptionally(failure);
                }
            });
        } catch (StackOverflowError ex) {
            throw ex;
        } catch (Throwable ex) {
            // An Error as well: the caller relies on the completion.
            reply.completeExceptionally(ex);
        }
    }

    private static ScriptOutputType outputOf(LuaScript<?> script) {
        return script.getResultType() == Long.class ? ScriptOutputType.INTEGER : ScriptOutputType.MULTI;
    }

    /** Returns texts as servers store them. */
    public static byte[][] bytes(List<String> texts) {
        byte[][] values = new byte[texts.size()][];
        for (int i = 0; i < values.length; i++) {
            values[i] = bytes(texts.get(i));
        }
        return values;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

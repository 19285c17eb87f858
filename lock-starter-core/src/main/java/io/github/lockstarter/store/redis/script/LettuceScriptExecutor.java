package io.github.lockstarter.store.redis.script;

import io.github.lockstarter.text.Printable;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.QueryTimeoutException;
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
     * @param crossSlotSupport whether the server takes keys of different slots
     */
    public LettuceScriptExecutor(
            RedisClusterAsyncCommands<byte[], byte[]> commands, Duration timeout, CrossSlotSupport crossSlotSupport) {
        this.commands = commands;
        this.crossSlotSupport = crossSlotSupport;
        this.timeout = timeout;
        this.timeouts = new ReplyTimeouts(timeout);
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
     * @throws QueryTimeoutException if there is no reply in time
     * @throws RedisException if the server rejected the call or the connection failed
     */
    public <T> T call(LuaScript<T> script, List<String> keys, String... arguments) {
        byte[][] keyBytes = bytes(keys);
        byte[][] values = bytes(List.of(arguments));
        ScriptOutputType type = outputOf(script);
        try {
            return await(this.commands.<T>evalsha(script.getSha1(), type, keyBytes, values));
        } catch (RedisNoScriptException ex) {
            return await(this.commands.<T>eval(bytes(script.getScriptAsString()), type, keyBytes, values));
        }
    }

    private <T> T await(RedisFuture<T> reply) {
        try {
            return reply.get(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new RedisCommandInterruptedException(ex);
        } catch (TimeoutException ex) {
            boolean unused = reply.cancel(true);
            throw noReply();
        } catch (ExecutionException ex) {
            // An error reply, or a checked failure of the connection, after which the call may have been executed.
            throw ex.getCause() instanceof RuntimeException cause ? cause : new RedisException(ex.getCause());
        }
    }

    /**
     * Calls a script without waiting for the reply. The text of the script is sent until the server has executed it
     * once, because a repetition for a server that does not have the script would be executed after commands that were
     * sent meanwhile. That can still happen when the server loses its scripts, by {@code SCRIPT FLUSH} or a failover.
     *
     * @return completed on a thread that must not be blocked; with {@link QueryTimeoutException} if there is no reply
     *     in time
     */
    public <T> CompletionStage<T> send(LuaScript<T> script, List<String> keys, String... arguments) {
        byte[][] keyBytes = bytes(keys);
        byte[][] values = bytes(List.of(arguments));
        if (!this.cached.contains(script)) {
            return sendText(script, keyBytes, values);
        }
        return limited(this.commands.<T>evalsha(script.getSha1(), outputOf(script), keyBytes, values))
                .exceptionallyCompose(failure -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    if (cause instanceof RedisNoScriptException) {
                        this.cached.remove(script);
                        return sendText(script, keyBytes, values);
                    }
                    return CompletableFuture.failedStage(cause instanceof TimeoutException ? noReply() : cause);
                });
    }

    /** Queries some fields of a hash without waiting for the reply; a field that does not exist is null in the result. */
    public CompletionStage<List<@Nullable String>> sendFields(String key, List<String> fields) {
        return limited(this.commands.hmget(bytes(key), bytes(fields))).handle((values, failure) -> {
            if (failure == null) {
                List<@Nullable String> texts = new ArrayList<>();
                values.forEach(value ->
                        texts.add(value.hasValue() ? new String(value.getValue(), StandardCharsets.UTF_8) : null));
                return texts;
            }
            throw failure instanceof TimeoutException ? noReply() : new CompletionException(failure);
        });
    }

    private <T> CompletionStage<T> sendText(LuaScript<T> script, byte[][] keys, byte[][] values) {
        byte[] text = bytes(script.getScriptAsString());
        return limited(this.commands.<T>eval(text, outputOf(script), keys, values))
                .handle((reply, failure) -> {
                    if (failure == null) {
                        this.cached.add(script);
                        return reply;
                    }
                    throw failure instanceof TimeoutException ? noReply() : new CompletionException(failure);
                });
    }

    /**
     * Returns a copy of the future: a timeout of Lettuce's own would cancel the command and lose its place in the
     * order.
     */
    private <T> CompletableFuture<T> limited(RedisFuture<T> reply) {
        CompletableFuture<T> limited = reply.thenApply(Function.identity()).toCompletableFuture();
        this.timeouts.limit(limited);
        return limited;
    }

    private QueryTimeoutException noReply() {
        return new QueryTimeoutException(Printable.of("no reply within " + this.timeout.toMillis() + " ms"));
    }

    private static ScriptOutputType outputOf(LuaScript<?> script) {
        return script.getResultType() == Long.class ? ScriptOutputType.INTEGER : ScriptOutputType.MULTI;
    }

    private static byte[][] bytes(List<String> texts) {
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

package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.Printable;
import io.lettuce.core.RedisCommandInterruptedException;
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
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Script calls over Lettuce's own API, without the template: for calls that have no blocking caller, for batches of
 * renewals, and for releases on which a waiter waits. Written in the order in which they are made.
 */
final class ScriptCalls {

    private final RedisClusterAsyncCommands<byte[], byte[]> commands;

    private final Duration timeout;

    private final AnswerTimeouts timeouts;

    private final MixedSlots mixedSlots;

    private final Set<LuaScript<?>> known = ConcurrentHashMap.newKeySet();

    /** Calls over that connection; each fails after the timeout. */
    ScriptCalls(RedisClusterAsyncCommands<byte[], byte[]> commands, Duration timeout, MixedSlots mixedSlots) {
        this.commands = commands;
        this.mixedSlots = mixedSlots;
        this.timeout = timeout;
        this.timeouts = new AnswerTimeouts(timeout);
    }

    /** Those of the connection that all commands of that factory share. */
    @SuppressWarnings("unchecked")
    static RedisClusterAsyncCommands<byte[], byte[]> commandsOver(LettuceConnectionFactory factory) {
        try (RedisConnection connection = factory.getConnection()) {
            return (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
        }
    }

    /** Whether one call may have keys of different slots. */
    MixedSlots mixedSlots() {
        return this.mixedSlots;
    }

    /** Calls a script, and waits for the answer. */
    <T> T call(LuaScript<T> script, List<String> names, String... arguments) {
        byte[][] keys = bytes(names);
        byte[][] values = bytes(List.of(arguments));
        ScriptOutputType type = outputOf(script);
        try {
            return await(this.commands.<T>evalsha(script.getSha1(), type, keys, values));
        } catch (RedisNoScriptException ex) {
            return await(this.commands.<T>eval(bytes(script.getScriptAsString()), type, keys, values));
        }
    }

    private <T> T await(RedisFuture<T> answer) {
        try {
            return answer.get(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new RedisCommandInterruptedException(ex);
        } catch (TimeoutException ex) {
            boolean unused = answer.cancel(true);
            throw noAnswer();
        } catch (ExecutionException ex) {
            // A socket that broke: it may have been executed.
            throw ex.getCause() instanceof RuntimeException cause ? cause : new RedisException(ex.getCause());
        }
    }

    /**
     * Sends a script without waiting, and its text until the server has executed it once: a second command for a server
     * that does not know the script would come after what was sent meanwhile. It can forget scripts, though, when it is
     * told to or fails over.
     */
    <T> CompletionStage<T> send(LuaScript<T> script, List<String> names, String... arguments) {
        byte[][] keys = bytes(names);
        byte[][] values = bytes(List.of(arguments));
        if (!this.known.contains(script)) {
            return teach(script, keys, values);
        }
        return limited(this.commands.<T>evalsha(script.getSha1(), outputOf(script), keys, values))
                .exceptionallyCompose(failure -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    if (cause instanceof RedisNoScriptException) {
                        this.known.remove(script);
                        return teach(script, keys, values);
                    }
                    return CompletableFuture.failedStage(cause instanceof TimeoutException ? noAnswer() : cause);
                });
    }

    /** Asks without waiting whether a hash has a field. */
    CompletionStage<Boolean> sendHasField(String key, String field) {
        return limited(this.commands.hexists(bytes(key), bytes(field))).handle((has, failure) -> {
            if (failure == null) {
                return has;
            }
            throw failure instanceof TimeoutException ? noAnswer() : new CompletionException(failure);
        });
    }

    private <T> CompletionStage<T> teach(LuaScript<T> script, byte[][] keys, byte[][] values) {
        byte[] text = bytes(script.getScriptAsString());
        return limited(this.commands.<T>eval(text, outputOf(script), keys, values))
                .handle((answer, failure) -> {
                    if (failure == null) {
                        this.known.add(script);
                        return answer;
                    }
                    throw failure instanceof TimeoutException ? noAnswer() : new CompletionException(failure);
                });
    }

    /** A future of our own: timing out the client's would take the command back, and with it its place in the order. */
    private <T> CompletableFuture<T> limited(RedisFuture<T> answer) {
        CompletableFuture<T> limited = answer.thenApply(Function.identity()).toCompletableFuture();
        this.timeouts.limit(limited);
        return limited;
    }

    private QueryTimeoutException noAnswer() {
        return new QueryTimeoutException(Printable.of("no answer within " + this.timeout.toMillis() + " ms"));
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

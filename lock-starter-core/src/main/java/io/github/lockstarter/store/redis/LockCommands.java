package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.connection.StoreConnection;
import io.github.lockstarter.store.redis.error.RedisExceptionTranslator;
import io.github.lockstarter.store.redis.script.LettuceScriptExecutor;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Executes commands for one lock, blocking or asynchronously, and reports every failure as a {@link LockStoreException}
 * that names the lock. Thread-safe.
 */
final class LockCommands {

    private final LockKeys keys;

    private final StoreConnection connection;

    LockCommands(LockKeys keys, StoreConnection connection) {
        this.keys = keys;
        this.connection = connection;
    }

    /**
     * Calls a script through the template and waits for the reply. It calls the template itself, without a callback:
     * this is the path of every uncontended acquisition.
     */
    <T> T execute(String lockName, LuaScript<T> script, String... arguments) {
        StringRedisTemplate template = template(lockName);
        T reply;
        try {
            reply = template.execute(script, List.of(this.keys.keyOf(lockName)), (Object[]) arguments);
        } catch (RuntimeException ex) {
            throw failed(ex, lockName);
        }
        return required(reply, lockName);
    }

    /**
     * Calls a script as {@link #execute} does, but without the layers of the template if there is a private connection:
     * for a release that the next owner waits for. This path runs too seldom to be compiled, and the template made a
     * hand-over between JVMs 6 to 9 % slower.
     */
    long executeDirectly(String lockName, LuaScript<Long> script, String... arguments) {
        LettuceScriptExecutor scripts = this.connection.scripts();
        if (scripts == null) {
            return execute(lockName, script, arguments);
        }
        try {
            return scripts.call(script, List.of(this.keys.keyOf(lockName)), arguments);
        } catch (RuntimeException ex) {
            throw failed(ex, lockName);
        }
    }

    /**
     * Calls a script without waiting for the reply.
     *
     * @param mapper maps the reply to the result, on a thread that must not be blocked
     * @return null if the connection is the application's, which only offers blocking calls
     */
    <A, T> @Nullable CompletionStage<T> send(
            String lockName, LuaScript<A> script, String[] arguments, Function<A, T> mapper) {
        LettuceScriptExecutor scripts = this.connection.scripts();
        if (scripts == null) {
            return this.connection.isPrivate()
                    ? CompletableFuture.failedStage(this.connection.notConnected(this.keys.describe(lockName)))
                    : null;
        }
        CompletionStage<A> reply;
        try {
            reply = scripts.send(script, List.of(this.keys.keyOf(lockName)), arguments);
        } catch (RuntimeException ex) {
            return CompletableFuture.failedStage(failed(ex, lockName));
        }
        return reply.handle((answer, failure) -> {
            if (failure != null) {
                throw failed(failure, lockName);
            }
            return mapper.apply(answer);
        });
    }

    private StringRedisTemplate template(String lockName) {
        StringRedisTemplate template = this.connection.template();
        if (template == null) {
            throw this.connection.notConnected(this.keys.describe(lockName));
        }
        return template;
    }

    /** Requires a reply: the template returns null in a transaction or pipeline of the application. */
    private <T> T required(@Nullable T reply, String lockName) {
        if (reply == null) {
            throw RedisExceptionTranslator.inTransaction(this.keys.describe(lockName));
        }
        return reply;
    }

    private LockStoreException failed(Throwable failure, String lockName) {
        return this.connection.failed(failure, this.keys.describe(lockName));
    }
}

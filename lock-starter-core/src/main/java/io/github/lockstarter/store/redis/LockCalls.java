package io.github.lockstarter.store.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Makes the calls that concern one lock, blocking or not, and reports every failure as a
 * {@link io.github.lockstarter.LockStoreException} that names the lock.
 */
final class LockCalls {

    private final LockKeys keys;

    private final RedisLink link;

    LockCalls(LockKeys keys, RedisLink link) {
        this.keys = keys;
        this.link = link;
    }

    /** Calls a script through the template and waits for its answer. */
    long execute(String lockName, LuaScript<Long> script, String... arguments) {
        String key = this.keys.keyOf(lockName);
        return query(lockName, redis -> redis.execute(script, List.of(key), (Object[]) arguments));
    }

    /**
     * As {@link #execute}, without the layers of the template if there is a connection of the store's own: for a call on
     * which the next owner of the lock waits. This code runs too seldom to be compiled, and the template made a hand-over
     * between JVMs 6 to 9 % slower.
     */
    long executeDirectly(String lockName, LuaScript<Long> script, String... arguments) {
        ScriptCalls calls = this.link.calls();
        if (calls == null) {
            return execute(lockName, script, arguments);
        }
        try {
            return calls.call(script, List.of(this.keys.keyOf(lockName)), arguments);
        } catch (RuntimeException ex) {
            throw this.link.failed(ex, this.keys.shown(lockName));
        }
    }

    /**
     * Sends a script call without waiting.
     *
     * @param meaning called with the answer, on a thread that must not be blocked
     * @return null if the connection is the application's, which only offers calls that block
     */
    <T> @Nullable CompletionStage<T> send(
            String lockName, LuaScript<Long> script, String[] arguments, Function<Long, T> meaning) {
        String key = this.keys.keyOf(lockName);
        return send(lockName, calls -> calls.send(script, List.of(key), arguments), meaning);
    }

    /** Asks without waiting whether the lock has an owner; null as for {@link #send}. */
    @Nullable
    CompletionStage<Boolean> sendIsLocked(String lockName) {
        String key = this.keys.keyOf(lockName);
        return send(lockName, calls -> calls.sendHasField(key, RedisLockStore.OWNER), Function.identity());
    }

    private <A, T> @Nullable CompletionStage<T> send(
            String lockName, Function<ScriptCalls, CompletionStage<A>> command, Function<A, T> meaning) {
        ScriptCalls calls = this.link.calls();
        if (calls == null) {
            return this.link.isPrivate()
                    ? CompletableFuture.failedStage(RedisErrors.notConnected(this.keys.shown(lockName), this.link))
                    : null;
        }
        CompletionStage<A> reply;
        try {
            reply = command.apply(calls);
        } catch (RuntimeException ex) {
            return CompletableFuture.failedStage(this.link.failed(ex, this.keys.shown(lockName)));
        }
        return reply.handle((answer, failure) -> {
            if (failure != null) {
                throw this.link.failed(failure, this.keys.shown(lockName));
            }
            return meaning.apply(answer);
        });
    }

    /** Executes a command of the template and waits for its answer. */
    <T> T query(String lockName, Function<StringRedisTemplate, @Nullable T> command) {
        StringRedisTemplate redis = this.link.template();
        if (redis == null) {
            throw RedisErrors.notConnected(this.keys.shown(lockName), this.link);
        }
        T reply;
        try {
            reply = command.apply(redis);
        } catch (RuntimeException ex) {
            throw this.link.failed(ex, this.keys.shown(lockName));
        }
        if (reply == null) {
            throw RedisErrors.inTransaction(this.keys.shown(lockName));
        }
        return reply;
    }
}

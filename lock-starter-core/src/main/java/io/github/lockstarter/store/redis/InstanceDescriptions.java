package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.connection.StoreConnection;
import io.github.lockstarter.store.redis.error.ErrorReplies;
import io.github.lockstarter.store.redis.script.LettuceScriptExecutor;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LockLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Writes and reads the descriptions of instances, see {@code register.lua}. No method blocks: over the application's
 * connection, which only offers blocking calls, a thread of its own calls Redis. Thread-safe.
 */
final class InstanceDescriptions {

    private static final LockLog logger = LockLog.of(InstanceDescriptions.class);

    private static final String SUBJECT = "the descriptions of instances";

    private static final String APPLICATION = "application";

    private static final String HOST = "host";

    private static final String PID = "pid";

    private static final String STARTED = "started";

    private static final List<String> FIELDS = List.of(APPLICATION, HOST, PID, STARTED);

    private final LockKeys keys;

    private final StoreConnection connection;

    private final ThreadPoolExecutor background;

    private final AtomicBoolean warned = new AtomicBoolean();

    InstanceDescriptions(LockKeys keys, StoreConnection connection) {
        this.keys = keys;
        this.connection = connection;
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-instances-");
        threads.setDaemon(true);
        this.background = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        this.background.allowCoreThreadTimeOut(true);
    }

    /** Publishes the description for a limited time; the stage fails with {@link LockStoreException}. */
    CompletionStage<?> publish(LockHolder instance, long ttlMillis) {
        List<String> key = List.of(this.keys.ofInstance(instance.instance()));
        String[] arguments = arguments(instance, ttlMillis);
        return call(
                scripts -> scripts.send(LuaScript.REGISTER, key, arguments),
                redis -> redis.execute(LuaScript.REGISTER, key, (Object[]) arguments));
    }

    /** Reads the description of an instance; the stage fails with {@link LockStoreException}. */
    CompletionStage<Optional<LockHolder>> find(String instance) {
        String key = this.keys.ofInstance(instance);
        CompletionStage<@Nullable List<@Nullable String>> reply = call(
                scripts -> scripts.sendFields(key, FIELDS),
                redis -> redis.<String, String>opsForHash().multiGet(key, FIELDS));
        return reply.thenApply(values -> description(instance, values));
    }

    private static String[] arguments(LockHolder instance, long ttlMillis) {
        List<String> arguments = new ArrayList<>(List.of(Long.toString(ttlMillis)));
        add(arguments, APPLICATION, instance.application());
        add(arguments, HOST, instance.host());
        add(arguments, PID, instance.pid());
        add(
                arguments,
                STARTED,
                instance.startedAt() != null ? instance.startedAt().toEpochMilli() : null);
        return arguments.toArray(String[]::new);
    }

    private static void add(List<String> arguments, String field, @Nullable Object value) {
        arguments.add(field);
        arguments.add(value != null ? value.toString() : "");
    }

    private static Optional<LockHolder> description(String instance, @Nullable List<@Nullable String> values) {
        if (values == null || values.get(0) == null) {
            return Optional.empty();
        }
        Long started = number(values.get(3));
        return Optional.of(new LockHolder(
                instance,
                text(values.get(0)),
                text(values.get(1)),
                number(values.get(2)),
                started != null ? Instant.ofEpochMilli(started) : null));
    }

    private static @Nullable String text(@Nullable String value) {
        return value == null || value.isEmpty() ? null : value;
    }

    /** Returns the number; null if there is none, because another program wrote the field. */
    private static @Nullable Long number(@Nullable String value) {
        try {
            return value != null ? Long.valueOf(value) : null;
        } catch (NumberFormatException ex) {
            return null;
        }
    }

    private <T> CompletionStage<T> call(
            Function<LettuceScriptExecutor, CompletionStage<T>> command, Function<StringRedisTemplate, T> blocking) {
        LettuceScriptExecutor scripts = this.connection.scripts();
        StringRedisTemplate template = this.connection.template();
        CompletionStage<T> reply;
        try {
            if (scripts != null) {
                reply = command.apply(scripts);
            } else if (template != null && !this.connection.isPrivate()) {
                reply = CompletableFuture.supplyAsync(() -> blocking.apply(template), this.background);
            } else {
                return CompletableFuture.failedStage(this.connection.notConnected(SUBJECT));
            }
        } catch (RuntimeException ex) {
            return CompletableFuture.failedStage(failed(ex));
        }
        return reply.handle((answer, failure) -> {
            if (failure != null) {
                throw failed(failure);
            }
            return answer;
        });
    }

    private LockStoreException failed(Throwable failure) {
        LockStoreException translated = this.connection.failed(failure, SUBJECT);
        // The check at the start has logged it for a private connection.
        if (!this.connection.isPrivate()
                && ErrorReplies.isMissingKeyPermission(failure)
                && this.warned.compareAndSet(false, true)) {
            logger.warn("The Redis user lacks the permission " + this.keys.instancePattern()
                    + " for the descriptions of instances; grant it with 'ACL SETUSER <user> "
                    + this.keys.instancePattern()
                    + "', or set distributed-lock.redis.publish-instance=false. Until then"
                    + " holders of locks are shown by their ids.");
        }
        return translated;
    }
}

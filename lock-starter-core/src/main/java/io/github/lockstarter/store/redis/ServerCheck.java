package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LockLog;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks the server after the first connection, and logs problems before a lock fails: missing permissions, with the
 * {@code ACL SETUSER} rule that grants them, and an eviction policy that can delete locks. Used once.
 *
 * <p>A server reports only the first permission that a script lacks, and Redis up to 7.0 does not report which one, so each
 * command is tried on its own. None of them writes: they name a key that no lock has, and {@code HSET} lacks a value, which a
 * server rejects after it has checked the permission.
 *
 * <p>The commands are tried in one script, {@code check.lua}. If the user may not call it or access its key, only that is
 * reported, and the rest at the next start. Access to the format and to the descriptions of instances is tried as well: a
 * user may be permitted to access the keys of locks only.
 */
final class ServerCheck {

    private static final LockLog logger = LockLog.of(ServerCheck.class);

    private static final Pattern POLICY = Pattern.compile("maxmemory_policy:(\\S+)");

    /** Of this command, one subcommand is enough. */
    private static final String TO_COUNT_SUBSCRIBERS = "+pubsub|numsub";

    private static final String SHA_OF_NO_SCRIPT = "0".repeat(40);

    private static final String FIELD = "check";

    private final LettuceScripts scripts;

    private final LockKeys keys;

    private final DerivedFactory recipe;

    private final RedisStoreSettings settings;

    /** By {@link System#nanoTime()}. */
    private final long deadline;

    private final String key;

    private final Set<String> missing = new LinkedHashSet<>();

    ServerCheck(LettuceScripts scripts, LockKeys keys, DerivedFactory recipe, RedisStoreSettings settings) {
        this.scripts = scripts;
        this.keys = keys;
        this.recipe = recipe;
        this.settings = settings;
        this.deadline = System.nanoTime() + settings.commandTimeout().toNanos();
        this.key = keys.keyOf("");
    }

    /**
     * Checks the server for one command timeout at most. A failure of the check itself is logged at DEBUG: the first lock would
     * report it.
     *
     * @param another a reply that is awaited as well
     */
    void run(Future<?> another) {
        try {
            RedisFuture<String> memory = this.scripts.commands.info("memory");
            findMissing();
            logPermissions();
            logEviction(memory);
        } catch (RuntimeException ex) {
            logger.debug("The permissions and the eviction policy of the server were not checked.", ex);
        }
        Object unused = errorOf(another);
    }

    /**
     * A command that is tried.
     *
     * @param permission the permission for the command, or for its key if it is another one than those of locks
     */
    private record Attempt(String permission, List<String> words) {

        static Attempt of(String... words) {
            return new Attempt('+' + words[0].toLowerCase(Locale.ROOT), List.of(words));
        }
    }

    /** Returns the commands that the scripts and queries of the store use. */
    private List<Attempt> attempts() {
        String channel = this.keys.channelOf(FIELD);
        String format = this.keys.ofFormat();
        List<Attempt> attempts = new ArrayList<>(List.of(
                Attempt.of("HSET", this.key, FIELD, FIELD, FIELD),
                Attempt.of("PEXPIRE", this.key, "1000"),
                Attempt.of("HGET", this.key, FIELD),
                Attempt.of("HMGET", this.key, FIELD),
                Attempt.of("HGETALL", this.key),
                Attempt.of("PTTL", this.key),
                Attempt.of("TIME"),
                Attempt.of("HDEL", this.key, FIELD),
                Attempt.of("DEL", this.key),
                Attempt.of("PUBLISH", channel, FIELD),
                new Attempt(TO_COUNT_SUBSCRIBERS, List.of("PUBSUB", "NUMSUB", channel)),
                new Attempt('~' + format, List.of("HGET", format, FIELD))));
        if (this.settings.publishInstance()) {
            String instance = this.keys.ofInstance(FIELD);
            String pattern = this.keys.instancePattern();
            attempts.add(new Attempt(pattern, List.of("HMGET", instance, FIELD)));
            attempts.add(new Attempt(pattern, List.of("HSET", instance, FIELD, FIELD, FIELD)));
        }
        return attempts;
    }

    /** Finds the missing permissions. A command without a reply before the deadline counts as permitted. */
    private void findMissing() {
        List<Attempt> attempts = attempts();
        List<String> words = new ArrayList<>();
        for (Attempt attempt : attempts) {
            words.add(Integer.toString(attempt.words.size()));
            words.addAll(attempt.words);
        }
        CompletableFuture<Object> script = this.scripts.start(
                new ScriptCommands.Call(LuaScript.CHECK, List.of(this.key), words.toArray(String[]::new)));
        RedisFuture<?> cached = this.scripts.commands.evalsha(
                SHA_OF_NO_SCRIPT, ScriptOutputType.INTEGER, LettuceScripts.bytes(List.of(this.key)));
        // It returns at once.
        RedisFuture<?> wait =
                this.settings.confirmReplicas() > 0 ? this.scripts.commands.waitForReplication(0, 0) : null;
        String error = errorOf(script);
        note("+eval", error);
        List<?> failures = error == null ? (List<?>) script.join() : List.of();
        for (int i = 0; i < failures.size(); i += 2) {
            Attempt failed = attempts.get(((Long) failures.get(i)).intValue() - 1);
            note(failed.permission, new String((byte[]) failures.get(i + 1), StandardCharsets.UTF_8));
        }
        note("+evalsha", errorOf(cached));
        note("+wait", wait != null ? errorOf(wait) : null);
    }

    /**
     * Notes the permission that the error reports as missing, if it does: for the command, a key, a channel or the database.
     *
     * @param permission the permission for the command, or for its key if it is another one than those of locks
     */
    private void note(String permission, @Nullable String error) {
        if (error == null || !RedisErrors.isMissingPermission(error)) {
            return;
        }
        boolean isForKey = permission.startsWith("~");
        if (error.contains("run the") || error.contains("run this")) {
            if (!isForKey) {
                this.missing.add(permission);
            }
        } else if (error.contains("database")) {
            this.missing.add("db=" + this.recipe.database());
        } else if (error.contains("channel")) {
            this.missing.add('&' + this.keys.channelPrefix() + '*');
        } else {
            this.missing.add(isForKey && !this.missing.contains(allKeys()) ? permission : allKeys());
        }
    }

    private String allKeys() {
        return '~' + this.keys.pattern();
    }

    private void logPermissions() {
        if (this.missing.isEmpty()) {
            return;
        }
        String user = this.recipe.user();
        Set<String> consequences = new LinkedHashSet<>();
        this.missing.forEach(permission -> consequences.add(consequenceOf(permission)));
        String text = "The Redis user '" + user + "' lacks permissions for distributed locks; grant them with 'ACL"
                + " SETUSER " + user + ' ' + String.join(" ", this.missing) + "'. Until then ";
        if (consequences.contains("")) {
            logger.error(text + "locks fail.");
        } else {
            logger.warn(text + String.join(", and ", consequences) + '.');
        }
    }

    /** Returns the consequence of a missing permission; empty: locks fail. */
    private static String consequenceOf(String permission) {
        if (permission.equals("+publish") || permission.startsWith("&")) {
            return "waiters poll for locks";
        }
        if (permission.equals(TO_COUNT_SUBSCRIBERS)) {
            return "an instance that ends while it waits delays the others by two poll intervals";
        }
        if (permission.endsWith(LockKeys.ANY_INSTANCE)) {
            return "holders of locks are shown by their ids, as with distributed-lock.redis.publish-instance=false";
        }
        return permission.endsWith(LockKeys.FORMAT)
                ? "locks of an incompatible version of lock-starter are not noticed"
                : "";
    }

    private void logEviction(RedisFuture<String> memory) {
        // Without the permission +info the policy is unknown.
        Matcher policy = POLICY.matcher(
                errorOf(memory) == null ? memory.toCompletableFuture().join() : "");
        if (policy.find() && !policy.group(1).equals("noeviction")) {
            logger.warn("Redis may evict locks while they are held: its maxmemory-policy is " + policy.group(1)
                    + ". Set it to noeviction, or give the locks a Redis of their own.");
        }
    }

    /** Waits for a reply and returns its error: null if it is no error, empty if there was no reply before the deadline. */
    private @Nullable String errorOf(Future<?> reply) {
        try {
            Object unused = reply.get(Math.max(0, this.deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            return null;
        } catch (ExecutionException ex) {
            Throwable cause = ex.getCause();
            return cause != null ? String.valueOf(cause.getMessage()) : "";
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return "";
        } catch (TimeoutException ex) {
            return "";
        }
    }
}

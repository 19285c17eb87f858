package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LockLog;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.VoidOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
 * reported, and the rest at the next start. Access to the format and to the descriptions of instances is tried in addition: a
 * user may be permitted to access the keys of locks only.
 */
final class ServerCheck {

    private static final LockLog logger = LockLog.of(ServerCheck.class);

    private static final Pattern POLICY = Pattern.compile("maxmemory_policy:(\\S+)");

    private static final String PUBSUB = "PUBSUB";

    /** Of this command, one subcommand is enough. */
    private static final String TO_COUNT_SUBSCRIBERS = "+pubsub|numsub";

    private static final String SHA_OF_NO_SCRIPT = "0".repeat(40);

    private static final String FIELD = "check";

    private final RedisClusterAsyncCommands<byte[], byte[]> commands;

    private final LockKeys keys;

    private final DerivedFactory recipe;

    private final RedisStoreSettings settings;

    /** By {@link System#nanoTime()}. */
    private final long deadline;

    private final String key;

    private final Set<String> missing = new LinkedHashSet<>();

    ServerCheck(
            RedisClusterAsyncCommands<byte[], byte[]> commands,
            LockKeys keys,
            DerivedFactory recipe,
            RedisStoreSettings settings) {
        this.commands = commands;
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
            RedisFuture<String> memory = this.commands.info("memory");
            findMissing();
            logPermissions();
            logEviction(memory);
        } catch (RuntimeException ex) {
            logger.debug("The permissions and the eviction policy of the server were not checked.", ex);
        }
        Object unused = errorOf(another);
    }

    /** Finds the missing permissions. A command without a reply before the deadline counts as permitted. */
    private void findMissing() {
        byte[][] declared = LettuceScripts.bytes(List.of(this.key));
        List<List<String>> attempts = attempts();
        List<String> words = new ArrayList<>();
        for (List<String> attempt : attempts) {
            words.add(Integer.toString(attempt.size()));
            words.addAll(attempt);
        }
        RedisFuture<List<Object>> script = this.commands.eval(
                LettuceScripts.bytes(LuaScript.CHECK.getScriptAsString()),
                ScriptOutputType.MULTI,
                declared,
                LettuceScripts.bytes(words));
        Map<RedisFuture<?>, String> others = sendOthers(declared);
        String error = errorOf(script);
        note("+eval", error);
        if (error == null) {
            noteFailures(attempts, script.toCompletableFuture().join());
        }
        others.forEach((reply, permission) -> note(permission, errorOf(reply)));
    }

    /** Sends the commands that are not tried in the script, and returns their replies with the permission that each needs. */
    private Map<RedisFuture<?>, String> sendOthers(byte[][] declared) {
        Map<RedisFuture<?>, String> replies = new LinkedHashMap<>();
        replies.put(this.commands.evalsha(SHA_OF_NO_SCRIPT, ScriptOutputType.INTEGER, declared), "+evalsha");
        replies.put(send(CommandType.HGET, this.keys.ofFormat(), FIELD), '~' + this.keys.ofFormat());
        if (this.settings.publishInstance()) {
            String instance = this.keys.ofInstance(FIELD);
            replies.put(send(CommandType.HMGET, instance, FIELD), this.keys.instancePattern());
            replies.put(send(CommandType.HSET, instance, FIELD, FIELD, FIELD), this.keys.instancePattern());
        }
        if (this.settings.confirmReplicas() > 0) {
            // Returns at once.
            replies.put(this.commands.waitForReplication(0, 0), "+wait");
        }
        return replies;
    }

    /** Returns the commands that the scripts and queries of the store use: each a name and its arguments. */
    private List<List<String>> attempts() {
        String channel = this.keys.channelOf(FIELD);
        return List.of(
                List.of("HSET", this.key, FIELD, FIELD, FIELD),
                List.of("PEXPIRE", this.key, "1000"),
                List.of("HGET", this.key, FIELD),
                List.of("HMGET", this.key, FIELD),
                List.of("HGETALL", this.key),
                List.of("PTTL", this.key),
                List.of("TIME"),
                List.of("HDEL", this.key, FIELD),
                List.of("DEL", this.key),
                List.of("PUBLISH", channel, FIELD),
                List.of(PUBSUB, "NUMSUB", channel));
    }

    private void noteFailures(List<List<String>> attempts, List<Object> failures) {
        for (int i = 0; i < failures.size(); i += 2) {
            int position = ((Long) failures.get(i)).intValue();
            byte[] error = (byte[]) failures.get(i + 1);
            note(permissionOf(attempts.get(position - 1)), new String(error, StandardCharsets.UTF_8));
        }
    }

    private RedisFuture<?> send(CommandType command, String key, String... more) {
        CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        CommandArgs<byte[], byte[]> unused = arguments.addKey(LettuceScripts.bytes(key));
        for (String word : more) {
            CommandArgs<byte[], byte[]> unusedToo = arguments.add(word);
        }
        return this.commands.dispatch(command, new VoidOutput<>(ByteArrayCodec.INSTANCE), arguments);
    }

    private static String permissionOf(List<String> attempt) {
        String command = attempt.get(0);
        return command.equals(PUBSUB) ? TO_COUNT_SUBSCRIBERS : '+' + command.toLowerCase(Locale.ROOT);
    }

    /**
     * Notes the permission that the error reports as missing, if it does: for the command, a key, a channel or the database.
     *
     * @param permission the permission for the command, or for its key if it is another one than those of locks
     */
    private void note(String permission, @Nullable String error) {
        if (error == null || !ErrorReplies.isMissingPermission(error)) {
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

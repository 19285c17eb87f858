package io.github.lockstarter.store.redis.connection;

import io.github.lockstarter.store.redis.error.ErrorReplies;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.VoidOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Finds the permissions that the user of a connection lacks, as rules of {@code ACL SETUSER}. A server reports only the
 * first permission that a script lacks, and Redis up to 7.0 does not report which one, so each command is tried on its
 * own. None of them writes: they name a key that no lock has, and {@code HSET} lacks a value, which a server rejects
 * after it has checked the permission.
 *
 * <p>The commands are tried in one script, {@code check.lua}. It declares the key, as clusters and proxies require; if
 * the user may not access the key, the script is called again without it. If the user may not call scripts, the
 * commands are sent one by one. Access to the format and to the descriptions of instances is tried in addition: a user may
 * be permitted to access the keys of locks only.
 */
final class PermissionCheck {

    /** Prefix of the permissions for commands that Lettuce sends on each new connection, and does without. */
    static final String OF_CLIENT = "+client|";

    /** The permission to count the subscribers of a channel: of this command, one subcommand is enough. */
    static final String TO_COUNT_SUBSCRIBERS = "+pubsub|numsub";

    private static final String PUBSUB = "PUBSUB";

    /** Whether the client is Lettuce 7 or newer, which has this class and sends {@code CLIENT MAINT_NOTIFICATIONS}. */
    private static final boolean SENDS_MAINT_NOTIFICATIONS =
            ClassUtils.isPresent("io.lettuce.core.MaintNotificationsConfig", PermissionCheck.class.getClassLoader());

    private static final String SHA_OF_NO_SCRIPT = "0".repeat(40);

    private static final String FIELD = "check";

    private final RedisClusterAsyncCommands<byte[], byte[]> commands;

    private final LockKeys keys;

    private final int database;

    private final String key;

    private final OptionalCommands optional;

    /** The commands that the scripts and queries of the store use: each a name and its arguments. */
    private final List<List<String>> attempts;

    PermissionCheck(
            RedisClusterAsyncCommands<byte[], byte[]> commands,
            LockKeys keys,
            int database,
            OptionalCommands optional) {
        this.commands = commands;
        this.keys = keys;
        this.database = database;
        this.optional = optional;
        this.key = keys.keyOf("");
        this.attempts = List.of(
                List.of("HSET", this.key, FIELD, FIELD, FIELD),
                List.of("PEXPIRE", this.key, "1000"),
                List.of("HGET", this.key, FIELD),
                List.of("HMGET", this.key, FIELD),
                List.of("HGETALL", this.key),
                List.of("PTTL", this.key),
                List.of("TIME"),
                List.of("HDEL", this.key, FIELD),
                List.of("DEL", this.key),
                List.of("PUBLISH", keys.channelOf(FIELD), FIELD),
                List.of(PUBSUB, "NUMSUB", keys.channelOf(FIELD)));
    }

    /** Returns the missing permissions. A command without a reply before the deadline counts as permitted. */
    Set<String> missing(ReplyDeadline deadline) {
        byte[][] declared = {bytes(this.key)};
        RedisFuture<List<Object>> script = callScript(declared);
        RedisFuture<?> evalsha = this.commands.evalsha(SHA_OF_NO_SCRIPT, ScriptOutputType.INTEGER, declared);
        RedisFuture<?> format = send(List.of("HGET", this.keys.ofFormat(), FIELD), this.keys.ofFormat());
        List<RedisFuture<?>> instances = tryInstances();
        RedisFuture<?> setInfo = sendClient("SETINFO");
        RedisFuture<?> maintenance = SENDS_MAINT_NOTIFICATIONS ? sendClient("MAINT_NOTIFICATIONS") : null;
        // Returns at once, and is not permitted in scripts.
        RedisFuture<?> wait = this.optional.usesWait() ? this.commands.waitForReplication(0, 0) : null;
        Set<String> missing = new LinkedHashSet<>();
        String error = deadline.errorOf(script);
        note(missing, "+eval", error);
        if (missing.contains(allKeys())) {
            script = callScript(new byte[0][]);
            error = deadline.errorOf(script);
            note(missing, "+eval", error);
        }
        note(missing, "+evalsha", deadline.errorOf(evalsha));
        if (error == null) {
            noteFailures(missing, script.toCompletableFuture().join());
        } else if (ErrorReplies.isMissingPermission(error)) {
            tryOneByOne(missing, deadline);
        }
        noteKeys(missing, '~' + this.keys.ofFormat(), deadline.errorOf(format));
        for (RedisFuture<?> each : instances) {
            noteKeys(missing, this.keys.instancePattern(), deadline.errorOf(each));
        }
        if (wait != null) {
            note(missing, "+wait", deadline.errorOf(wait));
        }
        note(missing, OF_CLIENT + "setinfo", deadline.errorOf(setInfo));
        if (maintenance != null) {
            note(missing, OF_CLIENT + "maint_notifications", deadline.errorOf(maintenance));
        }
        return missing;
    }

    /**
     * Sends a {@code CLIENT} command with an option that does not exist, so that it has no effect. Servers without the
     * subcommand do not check the permission, except Redis 6.2.
     */
    private RedisFuture<?> sendClient(String subcommand) {
        CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add(subcommand)
                .add(FIELD)
                .add(FIELD);
        return this.commands.dispatch(CommandType.CLIENT, new VoidOutput<>(ByteArrayCodec.INSTANCE), arguments);
    }

    private RedisFuture<List<Object>> callScript(byte[][] declared) {
        List<byte[]> words = new ArrayList<>();
        for (List<String> attempt : this.attempts) {
            words.add(bytes(Integer.toString(attempt.size())));
            attempt.forEach(word -> words.add(bytes(word)));
        }
        return this.commands.eval(
                bytes(LuaScript.CHECK.getScriptAsString()),
                ScriptOutputType.MULTI,
                declared,
                words.toArray(byte[][]::new));
    }

    private void noteFailures(Set<String> missing, List<Object> failures) {
        for (int i = 0; i < failures.size(); i += 2) {
            int position = ((Long) failures.get(i)).intValue();
            byte[] error = (byte[]) failures.get(i + 1);
            note(missing, permissionOf(this.attempts.get(position - 1)), new String(error, StandardCharsets.UTF_8));
        }
    }

    private void tryOneByOne(Set<String> missing, ReplyDeadline deadline) {
        List<RedisFuture<?>> answers = new ArrayList<>();
        this.attempts.forEach(attempt -> answers.add(send(attempt)));
        for (int i = 0; i < answers.size(); i++) {
            note(missing, permissionOf(this.attempts.get(i)), deadline.errorOf(answers.get(i)));
        }
    }

    /** Tries to read and to write the description of an instance, if the store does that. */
    private List<RedisFuture<?>> tryInstances() {
        String instance = this.keys.ofInstance(FIELD);
        return this.optional.usesInstances()
                ? List.of(
                        send(List.of("HMGET", instance, FIELD), instance),
                        send(List.of("HSET", instance, FIELD, FIELD, FIELD), instance))
                : List.of();
    }

    /** Adds the permission for those keys if the error reports it as missing, unless it is missing for all keys. */
    private void noteKeys(Set<String> missing, String pattern, @Nullable String error) {
        Set<String> found = new LinkedHashSet<>();
        note(found, "", error);
        if (found.contains(allKeys()) && !missing.contains(allKeys())) {
            missing.add(pattern);
        }
    }

    private RedisFuture<?> send(List<String> attempt) {
        return send(attempt, this.key);
    }

    private RedisFuture<?> send(List<String> attempt, String itsKey) {
        CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        for (String word : attempt.subList(1, attempt.size())) {
            if (word.equals(itsKey)) {
                arguments.addKey(bytes(word));
            } else {
                arguments.add(bytes(word));
            }
        }
        return this.commands.dispatch(
                CommandType.valueOf(attempt.get(0)), new VoidOutput<>(ByteArrayCodec.INSTANCE), arguments);
    }

    private static String permissionOf(List<String> attempt) {
        String command = attempt.get(0);
        return command.equals(PUBSUB) ? TO_COUNT_SUBSCRIBERS : '+' + command.toLowerCase(Locale.ROOT);
    }

    /**
     * Adds the permission that the error reports as missing, if it does: for the command, a key, a channel or the
     * database.
     */
    private void note(Set<String> missing, String permission, @Nullable String error) {
        if (error == null || !ErrorReplies.isMissingPermission(error)) {
            return;
        }
        if (error.contains("run the") || error.contains("run this")) {
            missing.add(permission);
        } else if (error.contains("database")) {
            missing.add("db=" + this.database);
        } else {
            missing.add(error.contains("channel") ? allChannels() : allKeys());
        }
    }

    private String allKeys() {
        return '~' + this.keys.pattern();
    }

    private String allChannels() {
        return '&' + this.keys.channelPrefix() + '*';
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

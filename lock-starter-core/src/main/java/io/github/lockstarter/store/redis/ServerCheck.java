package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockInventory.Server;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LockLog;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * Checks the server after the first connection, and logs problems before a lock fails: a server that is no master,
 * missing permissions, with the {@code ACL SETUSER} rule that grants them, missing commands, a version that is too old,
 * and an eviction policy that can delete locks. Used once.
 *
 * <p>A server reports only the first permission that a script lacks, and Redis up to 7.0 does not report which one, so
 * each command is tried on its own. None of them writes: they name a key that no lock has, and {@code HSET} lacks a
 * value, which a server rejects after it has checked the permission.
 *
 * <p>The commands are tried by {@code check.lua}. If the user may not call it or access its key, only that is reported,
 * and the rest at the next start. Access to the format and to the descriptions of instances is tried as well: a user
 * may be permitted to access the keys of locks only.
 */
final class ServerCheck {

    private static final LockLog logger = LockLog.of(ServerCheck.class);

    private static final Pattern VERSION = Pattern.compile("redis_version:((\\d+\\.\\d)\\S*)");

    /** Products other than Redis, whose {@code redis_version} is that of the Redis with which they are compatible. */
    private static final Pattern PRODUCT =
            Pattern.compile("\\b(valkey|dragonfly|kvrocks|garnet)_version:(?:df-v)?(\\S+)");

    private static final float OLDEST_VERSION = 6.2f;

    private static final String NO_REPLY = "";

    /** Redis 7 and newer add the script to an error. */
    private static final String SCRIPT_NAME = " script: .*";

    /**
     * No reply, and the errors of a server that has the command: {@code HSET} lacks a value, and no script has that
     * digest.
     */
    private static final Pattern EXPECTED = Pattern.compile("^$|^NOSCRIPT|(?i:wrong number of arg)");

    /** In a cluster, the names of the fields may begin with that of the node. */
    private static final Pattern REPLICA = Pattern.compile("(?m)^role:slave");

    private static final Pattern POLICY = Pattern.compile("maxmemory_policy:(\\S+)");

    /** One subcommand of this command is enough. */
    private static final String TO_COUNT_SUBSCRIBERS = "+pubsub|numsub";

    private static final String SHA_OF_NO_SCRIPT = "0".repeat(40);

    private static final String FIELD = "check";

    private final OpenConnection scripts;

    private final LockKeys keys;

    private final String servers;

    /** The configuration of the servers, or {@code null} if it is not known. */
    private final @Nullable DerivedFactory configuration;

    private final RedisStoreSettings settings;

    /** The deadline in nanoseconds of {@link System#nanoTime()}. */
    private final long deadline;

    private final String key;

    /** The server, with what {@link #run} has found out about it. */
    Server server;

    private final Set<String> missing = new LinkedHashSet<>();

    /** The words with which the server has refused that scripts publish, or {@code null} if it has not. */
    @Nullable
    String refusedMessage;

    /** Commands that the server executes for no user, with its words, and the consequences. */
    private final Map<String, String> unsupported = new LinkedHashMap<>();

    private final Set<String> unsupportedConsequences = new LinkedHashSet<>();

    ServerCheck(StoreConnection connection, OpenConnection scripts) {
        this.scripts = scripts;
        this.keys = connection.keys;
        this.servers = connection.servers;
        this.configuration = connection.configuration;
        this.settings = connection.settings;
        this.deadline = System.nanoTime() + this.settings.commandTimeout().toNanos();
        this.key = this.keys.keyOf("");
        this.server = connection.configuredServer;
    }

    /**
     * Checks the server for one command timeout at most. A failure of the check itself is logged at DEBUG: the first
     * lock would report it.
     *
     * @param another a reply that is awaited as well
     * @return whether locks fail at this server, as far as is known
     */
    boolean run(Future<?> another) {
        boolean fails = false;
        try {
            CompletableFuture<String> asked = this.scripts.info();
            findMissing();
            // The text is empty if the user lacks the permission +info.
            String error = errorOf(asked);
            String info = error == null ? asked.join() : "";
            if (error != null && RedisErrors.isRefusal(error)) {
                logger.info(this.servers + " does not execute INFO (" + error
                        + "): its role, its version and its maxmemory-policy were not checked.");
            }
            this.server = described(this.server, info);
            // In a cluster, the node that has answered may be a replica.
            boolean isCluster = this.configuration != null && this.configuration.isCluster();
            fails = !isCluster && logIfNoMaster(info);
            fails |= logPermissions();
            fails |= logCommands();
            fails |= logVersion(info);
            logEviction(info);
        } catch (RuntimeException ex) {
            logger.debug(
                    "The role, the permissions, the commands and the settings of the server were not checked.", ex);
        }
        Object unused = errorOf(another);
        return fails;
    }

    /**
     * Adds the product and its version.
     *
     * @param configured the server as it is configured
     * @param info lines of {@code INFO}; without a version the product remains unknown
     */
    static Server described(Server configured, String info) {
        Matcher other = PRODUCT.matcher(info);
        boolean isOther = other.find();
        Matcher version = isOther ? other : VERSION.matcher(info);
        if (!isOther && !version.find()) {
            return configured;
        }
        // KeyDB has that field, and no version of its own.
        String redis = info.contains("mvcc_depth:") ? "KeyDB" : "Redis";
        String product = isOther ? StringUtils.capitalize(other.group(1)) : redis;
        return new Server(product, version.group(isOther ? 2 : 1), configured.topology(), configured.database(), null);
    }

    /**
     * Logs a server that is no master.
     *
     * @param info lines of {@code INFO}
     * @return whether the server is no master, as far as the lines show
     */
    private boolean logIfNoMaster(String info) {
        boolean isSentinel = info.contains("_mode:sentinel");
        boolean isReplica = REPLICA.matcher(info).find();
        if (isSentinel || isReplica) {
            logger.error(this.servers + (isSentinel ? " is a Sentinel, and stores no locks" : " is a replica")
                    + ": locks fail. " + (isSentinel ? RedisErrors.SENTINEL_GIVEN : RedisErrors.FIND_MASTER));
        }
        return isSentinel || isReplica;
    }

    /** Finds the missing permissions. A command without a reply before the deadline counts as permitted. */
    private void findMissing() {
        String format = this.keys.ofFormat();
        CompletableFuture<Object> locks = start(LuaScript.CHECK, this.key);
        CompletableFuture<Object> messages =
                start(LuaScript.CHECK_MESSAGES, this.key, this.keys.channelOf(FIELD), FIELD);
        CompletableFuture<Object> ofFormat = start(LuaScript.CHECK, format, "1");
        CompletableFuture<Object> ofInstance =
                this.settings.publishInstance() ? start(LuaScript.CHECK, this.keys.ofInstance(FIELD), "1") : null;
        CompletableFuture<Object> cached = this.scripts.startByDigest(SHA_OF_NO_SCRIPT, this.key);
        // The command returns immediately. Only a private connection can confirm grants.
        Future<?> wait = this.settings.confirmReplicas() > 0 && this.scripts instanceof LettuceScripts its
                ? its.commands.waitForReplication(0, 0)
                : null;
        String error = errorOf(locks);
        note("+eval", "EVAL", error);
        failures(locks).forEach((command, words) -> note('+' + command.toLowerCase(Locale.ROOT), command, words));
        noteTime();
        noteMessages(messages, error == null);
        noteKey('~' + format, ofFormat, Set.of("HGET"));
        if (ofInstance != null) {
            noteKey(this.keys.instancePattern(), ofInstance, Set.of("HMGET", "HSET"));
        }
        note("+evalsha", "EVALSHA", errorOf(cached));
        note("+wait", "WAIT", wait != null ? errorOf(wait) : null);
    }

    /** One of two commands shows the time, so {@code TIME} is missing only if the other one is not supported. */
    private void noteTime() {
        Map<String, String> failures = this.scripts.timeFailures;
        if (this.scripts.hasTime) {
            note("+time", "TIME", failures.get("TIME"));
        } else {
            note("+pexpiretime", "PEXPIRETIME", failures.get("PEXPIRETIME"));
            note("+time", "TIME", this.scripts.shows("PEXPIRETIME") ? null : failures.get("TIME"));
        }
    }

    /** Notes what prevents messages. What no permission changes is the reason for another mode of messages. */
    private void noteMessages(CompletableFuture<Object> checked, boolean areScriptsPermitted) {
        String error = errorOf(checked);
        if (error != null) {
            if (areScriptsPermitted
                    && RedisErrors.isRefusal(error)
                    && !EXPECTED.matcher(error).find()) {
                noteMessage("+publish", "PUBLISH", error);
            }
            return;
        }
        ScriptCommands.toFailures(((List<?>) checked.join()).get(1))
                .forEach((command, words) ->
                        noteMessage(command.equals("PUBSUB") ? TO_COUNT_SUBSCRIBERS : "+publish", command, words));
    }

    private void noteMessage(String permission, String command, String words) {
        if (command.equals("PUBLISH") && !RedisErrors.isMissingPermission(words)) {
            this.refusedMessage = RedisErrors.unwrap(words).replaceFirst(SCRIPT_NAME, "");
        } else {
            note(permission, command, words);
        }
    }

    private CompletableFuture<Object> start(LuaScript script, String checkedKey, String... arguments) {
        return this.scripts.start(new ScriptCommands.Call(script, List.of(checkedKey), arguments));
    }

    /** Returns the errors of the commands by their names; none if the script itself has failed. */
    private Map<String, String> failures(CompletableFuture<Object> checked) {
        return errorOf(checked) == null ? ScriptCommands.toFailures(checked.join()) : Map.of();
    }

    /** Notes the permission for a key that is not that of a lock, which the commands access. */
    private void noteKey(String permission, CompletableFuture<Object> checked, Set<String> commands) {
        String error = errorOf(checked);
        if (error != null && RedisErrors.isMissingPermission(error)) {
            note(permission, "EVAL", error);
        }
        failures(checked)
                .forEach((command, words) -> note(permission, command, commands.contains(command) ? words : null));
    }

    /**
     * Notes the permission that the error reports as missing, if it does: for the command, a key, a channel or the
     * database. An error that is neither expected nor temporary shows that the server does not support the command.
     *
     * @param permission the permission for the command, or for its key if it is another one than those of locks
     */
    private void note(String permission, String command, @Nullable String error) {
        if (error == null || EXPECTED.matcher(error).find()) {
            return;
        }
        if (!RedisErrors.isMissingPermission(error)) {
            String words = RedisErrors.unwrap(error).replaceFirst(SCRIPT_NAME, "");
            if (RedisErrors.isUnsupported(error) && this.unsupported.putIfAbsent(command, words) == null) {
                this.unsupportedConsequences.add(consequenceOf(permission));
            }
            return;
        }
        boolean isForKey = permission.startsWith("~");
        if (error.contains("run the") || error.contains("run this")) {
            if (!isForKey) {
                this.missing.add(permission);
            }
        } else if (error.contains("database")) {
            this.missing.add("db=" + this.server.database());
        } else if (error.contains("channel")) {
            this.missing.add('&' + this.keys.channelPrefix() + '*');
        } else {
            this.missing.add(isForKey && !this.missing.contains(allKeys()) ? permission : allKeys());
        }
    }

    private String allKeys() {
        return '~' + this.keys.pattern();
    }

    /** Returns whether locks fail until the user has the permissions that are missing. */
    private boolean logPermissions() {
        if (this.missing.isEmpty()) {
            return false;
        }
        String user = this.configuration != null ? this.configuration.user() : "<user>";
        Set<String> consequences = new LinkedHashSet<>();
        this.missing.forEach(permission -> consequences.add(consequenceOf(permission)));
        return log(
                "The Redis user '" + user + "' lacks permissions for distributed locks; grant them with 'ACL SETUSER "
                        + user + ' ' + String.join(" ", this.missing) + "'.",
                consequences);
    }

    /** Returns whether locks fail because of commands that the server does not execute. */
    private boolean logCommands() {
        if (this.unsupported.isEmpty()) {
            return false;
        }
        List<String> commands = new ArrayList<>();
        this.unsupported.forEach((command, words) -> commands.add(command + " (" + words + ')'));
        return log(
                this.servers + " does not execute commands that distributed locks use: "
                        + String.join(", ", commands)
                        + ". Remove rename-command for them, update a server that is older than Redis 6.2, or use"
                        + " a proxy that supports them.",
                this.unsupportedConsequences);
    }

    /** Returns whether the problem is that locks fail. */
    private static boolean log(String problem, Set<String> consequences) {
        String text = problem + " Until then ";
        boolean fails = consequences.contains("");
        if (fails) {
            logger.error(text + "locks fail.");
        } else {
            logger.warn(text + String.join(", and ", consequences) + '.');
        }
        return fails;
    }

    private boolean logVersion(String info) {
        String version = tooOld(info);
        if (version != null) {
            logger.error(
                    this.servers + " has version " + version
                            + ", but distributed locks require Redis 6.2 or newer, or Valkey. Until it is updated, locks fail.");
        }
        return version != null;
    }

    /**
     * Returns the version that the information names if scripts need a newer one; null otherwise, without a version, or
     * for a product that is compatible with an old Redis by its own account, as Kvrocks is with 4.0.
     */
    static @Nullable String tooOld(String server) {
        Matcher version = VERSION.matcher(server);
        return !PRODUCT.matcher(server).find() && version.find() && Float.parseFloat(version.group(2)) < OLDEST_VERSION
                ? version.group(1)
                : null;
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

    private static void logEviction(String info) {
        Matcher policy = POLICY.matcher(info);
        if (policy.find() && !policy.group(1).equals("noeviction")) {
            logger.warn("Redis may evict locks while they are held: its maxmemory-policy is " + policy.group(1)
                    + ". Set it to noeviction, or give the locks a Redis of their own.");
        }
    }

    /**
     * Waits for a reply and returns its error: null if it is no error, {@link #NO_REPLY} if there was none before the
     * deadline.
     */
    private @Nullable String errorOf(Future<?> reply) {
        try {
            Object unused = reply.get(Math.max(0, this.deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            return null;
        } catch (ExecutionException ex) {
            return Objects.requireNonNullElse(RedisErrors.errorReply(ex), NO_REPLY);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return NO_REPLY;
        } catch (TimeoutException ex) {
            return NO_REPLY;
        }
    }
}

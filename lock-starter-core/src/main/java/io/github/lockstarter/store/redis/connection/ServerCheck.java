package io.github.lockstarter.store.redis.connection;

import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.text.LockLog;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks the server after the first connection, and logs problems before a lock fails: missing permissions, with the
 * {@code ACL SETUSER} rule that grants them, and an eviction policy that can delete locks.
 */
final class ServerCheck {

    private static final LockLog logger = LockLog.of(ServerCheck.class);

    private static final Pattern POLICY = Pattern.compile("maxmemory_policy:(\\S+)");

    private final RedisClusterAsyncCommands<byte[], byte[]> commands;

    private final PermissionCheck permissions;

    private final String user;

    ServerCheck(RedisClusterAsyncCommands<byte[], byte[]> commands, PermissionCheck permissions, String user) {
        this.commands = commands;
        this.permissions = permissions;
        this.user = user;
    }

    /**
     * Checks the server until the deadline. A failure of the check itself is logged at DEBUG: the first lock would
     * report it.
     */
    void run(ReplyDeadline deadline) {
        try {
            RedisFuture<String> memory = this.commands.info("memory");
            logPermissions(this.permissions.missing(deadline));
            logEviction(memory, deadline);
        } catch (RuntimeException ex) {
            logger.debug("The permissions and the eviction policy of the server were not checked.", ex);
        }
    }

    private void logPermissions(Set<String> missing) {
        if (missing.isEmpty()) {
            return;
        }
        String text = "The Redis user '" + this.user + "' lacks permissions for distributed locks; grant them with 'ACL"
                + " SETUSER " + this.user + ' ' + String.join(" ", missing) + "'. Until then ";
        List<String> consequences = new ArrayList<>();
        if (missing.stream().anyMatch(ServerCheck::isForNotifications)) {
            consequences.add("waiters poll for locks");
        }
        if (missing.contains(PermissionCheck.TO_COUNT_SUBSCRIBERS)) {
            consequences.add("an instance that ends while it waits delays the others by two poll intervals");
        }
        if (missing.stream().anyMatch(ServerCheck::isForClient)) {
            consequences.add("each new connection adds an entry to the server's ACL LOG");
        }
        if (missing.stream().anyMatch(ServerCheck::isForInstances)) {
            consequences.add(
                    "holders of locks are shown by their ids, as with distributed-lock.redis.publish-instance=false");
        }
        if (missing.stream().anyMatch(ServerCheck::isForFormat)) {
            consequences.add("locks of an incompatible version of lock-starter are not noticed");
        }
        if (missing.stream().allMatch(ServerCheck::isOptional)) {
            logger.warn(text + String.join(", and ", consequences) + '.');
        } else {
            logger.error(text + "locks fail.");
        }
    }

    private static boolean isOptional(String permission) {
        return isForNotifications(permission)
                || permission.equals(PermissionCheck.TO_COUNT_SUBSCRIBERS)
                || isForClient(permission)
                || isForInstances(permission)
                || isForFormat(permission);
    }

    /** Returns whether only notifications of waiters need the permission; without them waiters poll. */
    private static boolean isForNotifications(String permission) {
        return permission.equals("+publish") || permission.startsWith("&");
    }

    /** Returns whether only Lettuce needs the permission, which it does without. */
    private static boolean isForClient(String permission) {
        return permission.startsWith(PermissionCheck.OF_CLIENT);
    }

    /** Returns whether only descriptions of instances need the permission. */
    private static boolean isForInstances(String permission) {
        return permission.endsWith(LockKeys.ANY_INSTANCE);
    }

    /** Returns whether only the comparison of formats needs the permission. */
    private static boolean isForFormat(String permission) {
        return permission.endsWith(LockKeys.FORMAT);
    }

    private void logEviction(RedisFuture<String> memory, ReplyDeadline deadline) {
        // Without the permission +info the policy is unknown.
        Matcher policy = deadline.errorOf(memory) == null
                ? POLICY.matcher(memory.toCompletableFuture().join())
                : POLICY.matcher("");
        if (policy.find() && !policy.group(1).equals("noeviction")) {
            logger.warn("Redis may evict locks while they are held: its maxmemory-policy is " + policy.group(1)
                    + ". Set it to noeviction, or give the locks a Redis of their own.");
        }
    }
}

package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.LockLog;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks a server when it is first reached, and logs what is wrong there before a lock fails: permissions that the user
 * lacks, with the {@code ACL SETUSER} rule that grants them, and a policy that evicts locks.
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

    /** Checks the server. A check that fails is no problem of its own: the first lock fails, too, and reports why. */
    void run(AnswerDeadline deadline) {
        try {
            RedisFuture<String> memory = this.commands.info("memory");
            logPermissions(this.permissions.missing(deadline));
            logEviction(memory, deadline);
        } catch (RuntimeException ex) {
            logger.debug("The server was not checked.", ex);
        }
    }

    private void logPermissions(Set<String> missing) {
        if (missing.isEmpty()) {
            return;
        }
        String text = "The Redis user '" + this.user + "' lacks permissions for distributed locks; grant them with 'ACL"
                + " SETUSER " + this.user + ' ' + String.join(" ", missing) + "'. Until then ";
        List<String> consequences = new ArrayList<>();
        if (missing.stream().anyMatch(ServerCheck::isOfMessages)) {
            consequences.add("waiters poll for locks");
        }
        if (missing.stream().anyMatch(ServerCheck::isOfClient)) {
            consequences.add("each new connection adds a refusal to the server's ACL LOG");
        }
        if (missing.stream().allMatch(each -> isOfMessages(each) || isOfClient(each))) {
            logger.warn(text + String.join(", and ", consequences) + '.');
        } else {
            logger.error(text + "locks fail.");
        }
    }

    /** Whether messages need the permission, which wake waiters; without them waiters poll. */
    private static boolean isOfMessages(String permission) {
        return permission.equals("+publish") || permission.startsWith("&");
    }

    /** Whether only the client needs the permission, which ignores that it is refused. */
    private static boolean isOfClient(String permission) {
        return permission.startsWith(PermissionCheck.OF_CLIENT);
    }

    private void logEviction(RedisFuture<String> memory, AnswerDeadline deadline) {
        // Without +info the policy is not known.
        Matcher policy = deadline.errorOf(memory) == null
                ? POLICY.matcher(memory.toCompletableFuture().join())
                : POLICY.matcher("");
        if (policy.find() && !policy.group(1).equals("noeviction")) {
            logger.warn("Redis may evict locks while they are held: its maxmemory-policy is " + policy.group(1)
                    + ". Set it to noeviction, or give the locks a Redis of their own.");
        }
    }
}

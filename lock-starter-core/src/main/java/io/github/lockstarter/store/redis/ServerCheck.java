package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.LockLog;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a server when it is first reached, and says what is wrong there before a lock finds out: permissions that the
 * user lacks, and a policy that evicts locks. It tries each command by itself, because Redis does not say which of the
 * commands of a script was refused, on a key that no lock can have, and all of them in one go.
 */
final class ServerCheck {

    private static final LockLog logger = LockLog.of(ServerCheck.class);

    private static final Pattern POLICY = Pattern.compile("maxmemory_policy:(\\S+)");

    private static final String SHA_OF_NOTHING = "0".repeat(40);

    private final RedisClusterAsyncCommands<byte[], byte[]> commands;

    private final LockKeys keys;

    private final String user;

    private final Duration timeout;

    ServerCheck(RedisClusterAsyncCommands<byte[], byte[]> commands, LockKeys keys, String user, Duration timeout) {
        this.commands = commands;
        this.keys = keys;
        this.user = user;
        this.timeout = timeout;
    }

    /** Looks, and writes into the log what it finds; whoever needs the server hears of other troubles by himself. */
    void run() {
        try {
            look();
        } catch (RuntimeException ex) {
            logger.debug("The server was not looked at.", ex);
        }
    }

    private void look() {
        long end = System.nanoTime() + this.timeout.toNanos();
        Map<String, RedisFuture<?>> answers = ask();
        RedisFuture<String> memory = this.commands.info("memory");
        Set<String> missing = new LinkedHashSet<>();
        answers.forEach((permission, answer) -> {
            String error = errorOf(answer, end);
            if (error != null && error.startsWith("NOPERM")) {
                missing.add(missingIn(error, permission));
            }
        });
        tellOfPermissions(missing);
        tellOfEviction(memory, end);
    }

    private Map<String, RedisFuture<?>> ask() {
        byte[] key = bytes(this.keys.keyOf(""));
        byte[] field = bytes("check");
        byte[][] keys = {key};
        Map<String, RedisFuture<?>> answers = new LinkedHashMap<>();
        answers.put("+eval", this.commands.eval(bytes("return 1"), ScriptOutputType.INTEGER, keys));
        answers.put("+evalsha", this.commands.evalsha(SHA_OF_NOTHING, ScriptOutputType.INTEGER, keys));
        answers.put("+hset", this.commands.hset(key, field, field));
        // Should the rest not arrive: it is gone soon all the same.
        answers.put("+pexpire", this.commands.pexpire(key, 1000));
        answers.put("+hget", this.commands.hget(key, field));
        answers.put("+hmget", this.commands.hmget(key, field));
        answers.put("+hgetall", this.commands.hgetall(key));
        answers.put("+hexists", this.commands.hexists(key, field));
        answers.put("+pttl", this.commands.pttl(key));
        answers.put("+time", this.commands.time());
        answers.put("+hdel", this.commands.hdel(key, field));
        answers.put("+del", this.commands.del(key));
        answers.put("+publish", this.commands.publish(bytes(this.keys.inbox("check")), field));
        return answers;
    }

    private String missingIn(String error, String permission) {
        if (error.contains("run the")) {
            return permission;
        }
        return permission.equals("+publish") ? "&" + this.keys.inboxes() + "*" : "~" + this.keys.all();
    }

    private void tellOfPermissions(Set<String> missing) {
        if (missing.isEmpty()) {
            return;
        }
        String rule = String.join(" ", missing);
        String text = "The Redis user '" + this.user + "' lacks permissions for distributed locks; grant them with 'ACL"
                + " SETUSER " + this.user + ' ' + rule + "'. Until then ";
        if (missing.stream().allMatch(each -> each.equals("+publish") || each.startsWith("&"))) {
            logger.warn(text + "those who wait for a lock poll for it.");
        } else {
            logger.error(text + "locks fail.");
        }
    }

    private void tellOfEviction(RedisFuture<String> memory, long end) {
        // Who may not ask is not told.
        Matcher policy = errorOf(memory, end) == null
                ? POLICY.matcher(memory.toCompletableFuture().join())
                : POLICY.matcher("");
        if (policy.find() && !policy.group(1).equals("noeviction")) {
            logger.warn("Redis may evict locks while they are held: its maxmemory-policy is " + policy.group(1)
                    + ". Set it to noeviction, or give the locks a Redis of their own.");
        }
    }

    /** The text of the error with which it was answered; null if it was answered, empty if it was not. */
    private static @Nullable String errorOf(RedisFuture<?> answer, long end) {
        try {
            Object unused = answer.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
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

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

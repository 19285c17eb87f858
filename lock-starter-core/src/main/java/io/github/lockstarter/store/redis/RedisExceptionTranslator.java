package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/**
 * Translates the exceptions of Redis clients into {@link LockStoreException}: whether the command may have been
 * executed, whether a later attempt may succeed, and what to do.
 */
final class RedisExceptionTranslator {

    private static final String CREDENTIALS = "Check spring.data.redis.username and password.";

    private static final String PERMISSION =
            "Grant the missing permission to the Redis user; the page docs/reference/redis.md of the manual has the"
                    + " ACL rule.";

    private static final String SENTINEL =
            "Check spring.data.redis.sentinel.master and nodes, which are the Sentinels and not"
                    + " the Redis servers. Sentinels have credentials of their own: spring.data.redis.sentinel.username and"
                    + " spring.data.redis.sentinel.password.";

    private static final String SLOTS = "The server belongs to a cluster: if the cluster has several shards, set"
            + " spring.data.redis.cluster.nodes instead of host and port. A single shard, or a proxy in front of several,"
            + " needs no change.";

    private RedisExceptionTranslator() {}

    /**
     * Translates the failure of a command.
     *
     * @param ex what the client threw
     * @param servers the servers as messages name them, without credentials
     * @param subject what the command was for, such as {@code lock 'a'}
     * @param executedOnce false if the client may have repeated the command: a rejection may then be the reply to the
     *     second execution, after the first one succeeded
     * @param connectFailure why the last attempt to connect failed; null if it did not fail or is not known
     */
    static LockStoreException translate(
            Throwable ex, String servers, String subject, boolean executedOnce, @Nullable Throwable connectFailure) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            String message = ErrorReplies.unwrap(String.valueOf(cause.getMessage()));
            if (ErrorReplies.isRejection(message)) {
                return new LockStoreException(rejection(servers, subject, message), ex, !executedOnce, true);
            }
            String code = ErrorReplies.permanentCode(message);
            if (code != null) {
                // A script that fails half-way keeps what it has written, so the outcome counts as unknown.
                boolean refused = code.equals("WRONGTYPE")
                        || code.startsWith("LOCK")
                        || ErrorReplies.isDeniedAtOnce(String.valueOf(cause.getMessage()));
                boolean unknown = !executedOnce || !refused;
                return new LockStoreException(rejection(servers, subject, message), ex, unknown, false);
            }
            if (message.contains("Commands are rejected")) {
                // The client does not report why it is not connected; the last attempt to connect does.
                return notConnected(servers, subject, connectFailure != null ? connectFailure : ex);
            }
            if (message.contains("Unable to connect")) {
                return notConnected(servers, subject, ex);
            }
        }
        // CancellationException is an IllegalStateException, but a cancelled command may have been executed.
        if (ex instanceof IllegalStateException && !(ex instanceof CancellationException)) {
            return notConnected(servers, subject, ex);
        }
        String reason = isInterrupt(ex) ? "the calling thread was interrupted" : String.valueOf(ex.getMessage());
        return new LockStoreException(
                servers + " did not answer a command for " + subject + " (" + reason
                        + "). It is unknown whether the command was executed.",
                ex,
                true,
                true);
    }

    /**
     * Creates the exception for a command that was not sent because there is no connection.
     *
     * @param cause why there is none; null if that is not known
     */
    static LockStoreException notConnected(String servers, String subject, @Nullable Throwable cause) {
        String problem = cause != null ? rootMessage(cause) : "";
        return new LockStoreException(
                "A command for " + subject + " was not sent: " + servers + " is not connected"
                        + (problem.isEmpty() ? "" : " (" + problem + ')')
                        + "; a connection is being opened in the background. "
                        + remedyOfConnectFailure(problem, cause),
                cause,
                false,
                true);
    }

    /** Creates the exception for a connection that collects commands instead of executing them. */
    static LockStoreException inTransaction(String subject) {
        return new LockStoreException(
                "Redis did not execute a command for " + subject + ": the application's connection is in a transaction"
                        + " or a pipeline. Set distributed-lock.redis.private-connection=true.",
                null,
                true,
                false);
    }

    private static String rejection(String servers, String subject, String message) {
        return servers + " rejected a command for " + subject + ": " + withRemedy(message);
    }

    /** Returns the text of an error reply as a sentence, followed by what to do about it if that is known. */
    static String withRemedy(String error) {
        String message = ErrorReplies.unwrap(error);
        return (sentence(message) + ' ' + remedyOf(message)).strip();
    }

    /** Returns why a connection could not be opened, in one line, followed by what to do about it. */
    static String connectFailure(Throwable ex) {
        String problem = rootMessage(ex);
        return sentence(problem) + ' ' + remedyOfConnectFailure(problem, ex);
    }

    /**
     * Returns whether a failure to connect does not contain its reason. Lettuce closes a connection whose handshake was
     * rejected; if that happens before its own listener runs, the listener fails without the error reply.
     */
    static boolean isUnexplained(Throwable ex) {
        return rootMessage(ex).equals("RedisHandshakeHandler not registered");
    }

    /** Returns the message of the root cause in one line. */
    static String rootMessage(Throwable ex) {
        return String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage())
                .strip()
                .replaceAll("\\s+", " ");
    }

    /** Returns whether the calling thread was interrupted while it waited, which tells nothing about the connection. */
    static boolean isInterrupt(Throwable ex) {
        return ex instanceof InterruptedException || (ex.getCause() != null && isInterrupt(ex.getCause()));
    }

    private static String sentence(String message) {
        return message.endsWith(".") ? message : message + '.';
    }

    /** Returns what to do about an error reply to a command; empty if it resolves itself or no remedy is known. */
    private static String remedyOf(String error) {
        return switch (ErrorReplies.codeOf(error)) {
            case ErrorReplies.NOPERM -> PERMISSION;
            case "WRONGTYPE" ->
                "The key belongs to something else: choose another distributed-lock.key-prefix or lock"
                        + " name, or delete the key.";
            case "LOCKKIND" -> "Use different names for a lock and for a semaphore.";
            case "LOCKLIMIT" -> "Distribute the holders over several locks, for example by a key.";
            case "NOAUTH", "WRONGPASS" -> CREDENTIALS;
            case "READONLY" ->
                "The server is a replica: unless a failover is in progress, change spring.data.redis.* so that it"
                        + " leads to the master.";
            case "MOVED", "ASK" ->
                "The slot of the key is at another server of a cluster. If host and port are configured, set"
                        + " spring.data.redis.cluster.nodes instead; otherwise the topology is being refreshed.";
            case "CROSSSLOT" -> SLOTS;
            case "OOM" -> "Raise its maxmemory; locks that are held are still renewed and released.";
            case "ERR" ->
                error.contains("number of clients")
                        ? "Raise its maxclients, or find the clients that open so many connections."
                        : ErrorReplies.isCrossSlot(error)
                                ? SLOTS
                                : "Check that the server is Redis 6.2 or newer, or Valkey, and allows scripts.";
            default -> "";
        };
    }

    /** Returns what to do about a connection that could not be opened, of which a Sentinel may be the reason. */
    private static String remedyOfConnectFailure(String problem, @Nullable Throwable failure) {
        if (failure != null
                && ErrorReplies.isAny(
                        failure, message -> message.toLowerCase(Locale.ROOT).contains("sentinel"))) {
            return SENTINEL;
        }
        if (problem.contains("WRONGPASS") || problem.contains("NOAUTH")) {
            return CREDENTIALS;
        }
        // Lettuce sends commands of its own, such as CLUSTER NODES.
        if (problem.contains(ErrorReplies.NOPERM)) {
            return PERMISSION;
        }
        if (problem.contains("cluster support disabled")) {
            return "The server does not belong to a cluster: set spring.data.redis.host and port instead of"
                    + " cluster.nodes.";
        }
        if (problem.toLowerCase(Locale.ROOT).contains("initialization timed out")) {
            return "The port is open, but Redis did not answer: check spring.data.redis.ssl.enabled and port, and"
                    + " whether Redis is overloaded or paused.";
        }
        return "Check spring.data.redis.* and whether Redis runs.";
    }
}

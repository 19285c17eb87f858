package io.github.lockstarter.store.redis.error;

import java.util.Locale;

/** Maps errors to the sentence that messages add about what to do. Most of them are configuration mistakes. */
final class Remedies {

    private static final String CREDENTIALS = "Check spring.data.redis.username and password.";

    private static final String PERMISSION =
            "Grant the missing permission to the Redis user; the page docs/reference/redis.md of the manual has the ACL rule.";

    private static final String SLOTS = "The server belongs to a cluster: if the cluster has several shards, set"
            + " spring.data.redis.cluster.nodes instead of host and port. A single shard, or a proxy in front of several,"
            + " needs no change.";

    private Remedies() {}

    /** Returns what to do about an error reply to a command; empty if it resolves itself or no remedy is known. */
    static String ofReply(String error) {
        return switch (ErrorReplies.codeOf(error)) {
            case ErrorReplies.NOPERM -> PERMISSION;
            case "WRONGTYPE" ->
                "The key belongs to something else: choose another distributed-lock.key-prefix or lock"
                        + " name, or delete the key.";
            case "LOCKKIND" -> "Use different names for a lock and for a semaphore.";
            case "LOCKLIMIT" -> "Distribute the holders over several locks, for example by a key.";
            case "NOAUTH", "WRONGPASS" -> CREDENTIALS;
            case "READONLY" ->
                "The server is a replica: unless a failover is in progress, change spring.data.redis.* so that it leads to"
                        + " the master.";
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

    /**
     * Returns what to do about a connection that could not be opened.
     *
     * @param sentinel whether a Sentinel is the server that could not be reached
     */
    static String ofConnectFailure(String problem, boolean sentinel) {
        if (sentinel) {
            return ofSentinel(problem);
        }
        if (problem.contains("WRONGPASS") || problem.contains("NOAUTH")) {
            return CREDENTIALS;
        }
        // Lettuce sends commands of its own, such as CLUSTER NODES.
        if (problem.contains(ErrorReplies.NOPERM)) {
            return PERMISSION;
        }
        if (problem.contains("cluster support disabled")) {
            return "The server does not belong to a cluster: set spring.data.redis.host and port instead of cluster.nodes.";
        }
        if (problem.contains("DB index")) {
            return "Check spring.data.redis.database.";
        }
        if (problem.toLowerCase(Locale.ROOT).contains("initialization timed out")) {
            return "The port is open, but Redis did not answer: check spring.data.redis.ssl.enabled and port, and whether Redis"
                    + " is overloaded or paused.";
        }
        return "Check spring.data.redis.* and whether Redis runs.";
    }

    private static String ofSentinel(String problem) {
        if (problem.contains("WRONGPASS") || problem.contains("NOAUTH")) {
            return "Check spring.data.redis.sentinel.username and spring.data.redis.sentinel.password: Sentinels have"
                    + " credentials of their own.";
        }
        if (problem.contains(ErrorReplies.NOPERM)) {
            return "Grant the missing permission to the user of the Sentinels; the page docs/reference/redis.md of the"
                    + " manual has the ACL rule.";
        }
        return problem.contains("No such master")
                ? "Check spring.data.redis.sentinel.master."
                : "Check spring.data.redis.sentinel.*: its nodes are the Sentinels, not the Redis servers.";
    }
}

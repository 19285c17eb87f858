package io.github.lockstarter.store.redis;

import java.util.Locale;

/** What somebody should do about an error of a server: most are mistakes of configuration, and Redis names none. */
final class RedisRemedies {

    private static final String CREDENTIALS = "Check spring.data.redis.username and password.";

    private static final String SLOTS = "The server belongs to a cluster: if it has several shards, set"
            + " spring.data.redis.cluster.nodes instead of host and port. A single shard, or a proxy in front of several,"
            + " works as it is.";

    private RedisRemedies() {}

    /** For an answer to a command; empty: time mends it, or nobody here knows better. */
    static String ofAnswer(String error) {
        return switch (ScriptErrors.codeOf(error)) {
            case ScriptErrors.NOPERM ->
                "Grant the missing permission to the Redis user, see the ACL rule in the README.";
            case "WRONGTYPE" ->
                "The key belongs to something else: choose another distributed-lock.key-prefix or lock"
                        + " name, or delete it.";
            case "NOAUTH", "WRONGPASS" -> CREDENTIALS;
            case "READONLY" ->
                "The server is a replica: until it is a master again, or for good, spring.data.redis.* must lead to"
                        + " another one.";
            case "MOVED", "ASK" ->
                "The server is one of several shards of a cluster: set spring.data.redis.cluster.nodes instead of host and"
                        + " port.";
            case "CROSSSLOT" -> SLOTS;
            case "OOM" -> "Raise its maxmemory; locks that are held are still renewed and released.";
            case "ERR" ->
                error.contains("number of clients")
                        ? "Raise its maxclients, or find out who opens so many connections."
                        : RedisErrors.isOfSlots(error)
                                ? SLOTS
                                : "Check that the server is Redis 6.2 or newer, or Valkey, and allows scripts.";
            default -> "";
        };
    }

    /** For what kept a connection from being opened. */
    static String ofConnecting(String problem) {
        if (problem.contains("WRONGPASS") || problem.contains("NOAUTH")) {
            return CREDENTIALS;
        }
        if (problem.contains("cluster support disabled")) {
            return "The server is no part of a cluster: set spring.data.redis.host and port instead of cluster.nodes.";
        }
        if (problem.toLowerCase(Locale.ROOT).contains("sentinel")) {
            return "Check spring.data.redis.sentinel.*: the nodes are those of the sentinels, not of the servers.";
        }
        if (problem.contains("DB index")) {
            return "Check spring.data.redis.database.";
        }
        if (problem.toLowerCase(Locale.ROOT).contains("initialization timed out")) {
            return "Something listens there that does not speak as expected: check spring.data.redis.ssl.enabled and"
                    + " port.";
        }
        return "Check spring.data.redis.* and whether Redis runs.";
    }
}

package io.github.lockstarter.testsupport;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How a server stands to its master or to its replicas, as it says itself. */
public final class Replication {

    private static final Duration ANSWER = Duration.ofSeconds(1);

    private final Map<String, String> info = new HashMap<>();

    private Replication(String text) {
        text.lines()
                .map(line -> line.split(":", 2))
                .filter(pair -> pair.length == 2)
                .forEach(pair -> info.put(pair[0], pair[1]));
    }

    static Replication of(RedisServer server) {
        try (RedisCli cli = server.cli(ANSWER)) {
            return new Replication(cli.info("replication"));
        }
    }

    boolean isMaster() {
        return "master".equals(info.get("role"));
    }

    boolean follows(RedisServer master) {
        return !isMaster() && Integer.toString(master.port()).equals(info.get("master_port")) && isUp();
    }

    /** Whether a replica has a connection to its master, and has caught up once. */
    boolean isUp() {
        return "up".equals(info.get("master_link_status"));
    }

    private long offset() {
        return Long.parseLong(info.getOrDefault(isMaster() ? "master_repl_offset" : "slave_repl_offset", "-1"));
    }

    /** Waits until the replicas follow the master and have all that it has written until now. */
    public static void awaitInSync(RedisServer master, List<RedisServer> replicas) {
        Awaiting.servers("master on port " + master.port())
                .until(() -> of(master).isMaster());
        long written = of(master).offset();
        for (RedisServer replica : replicas) {
            Awaiting.servers("replica on port " + replica.port() + " in sync with " + master.port())
                    .until(() -> {
                        Replication now = of(replica);
                        return now.follows(master) && now.offset() >= written;
                    });
        }
    }

    /**
     * From now on nothing that the master writes gets to these replicas, not even into their sockets: they are frozen,
     * and their connections are broken off. {@link RedisServer#resume()} brings them back as they are now.
     */
    static void cut(RedisServer master, List<RedisServer> replicas) {
        awaitInSync(master, replicas);
        replicas.forEach(RedisServer::pause);
        try (RedisCli cli = master.cli()) {
            cli.command("CLIENT", "KILL", "TYPE", "replica");
        }
    }
}

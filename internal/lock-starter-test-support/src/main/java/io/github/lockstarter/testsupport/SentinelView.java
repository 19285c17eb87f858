package io.github.lockstarter.testsupport;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a sentinel knows. */
final class SentinelView {

    static final String MASTER_NAME = "locks";
    static final int QUORUM = 2;

    private static final Duration ANSWER = Duration.ofSeconds(1);

    private final Map<String, String> master;
    private final List<Map<String, String>> replicas;

    private SentinelView(Map<String, String> master, List<Map<String, String>> replicas) {
        this.master = master;
        this.replicas = replicas;
    }

    static SentinelView of(RedisServer sentinel) {
        try (RedisCli cli = sentinel.cli(ANSWER)) {
            Map<String, String> master = fields(cli.command("SENTINEL", "MASTER", MASTER_NAME));
            List<?> replicas = (List<?>) Objects.requireNonNull(cli.command("SENTINEL", "REPLICAS", MASTER_NAME));
            return new SentinelView(
                    master, replicas.stream().map(SentinelView::fields).toList());
        }
    }

    /** Whether it sees so many replicas and other sentinels, and nothing that would be in the way of a failover. */
    boolean isCalm(int wantedReplicas, int wantedOthers) {
        return "master".equals(master.get("flags"))
                && Integer.toString(wantedOthers).equals(master.get("num-other-sentinels"))
                && replicas.stream().filter(SentinelView::canBePromoted).count() == wantedReplicas;
    }

    /** That its link to the master is fine too, a sentinel may learn ten seconds later. */
    private static boolean canBePromoted(Map<String, String> replica) {
        return "slave".equals(replica.get("flags"));
    }

    /** Asks for a failover until the sentinel has begun one. */
    static void failOver(RedisServer sentinel) {
        Awaiting.servers("begin of a failover").until(() -> {
            try (RedisCli cli = sentinel.cli(ANSWER)) {
                return "OK".equals(cli.command("SENTINEL", "FAILOVER", MASTER_NAME));
            }
        });
    }

    /** What those that answer name as the master. */
    static List<Integer> masterPorts(List<RedisServer> sentinels) {
        List<Integer> ports = new ArrayList<>();
        for (RedisServer sentinel : sentinels) {
            if (!sentinel.isRunning() || sentinel.isPaused()) {
                continue;
            }
            try (RedisCli cli = sentinel.cli(ANSWER)) {
                List<?> address = (List<?>)
                        Objects.requireNonNull(cli.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME));
                ports.add(Integer.valueOf(String.valueOf(address.get(1))));
            } catch (UncheckedIOException e) {
                // busy, as is the machine
            }
        }
        return ports;
    }

    /** What enough of them name; 0 if they do not agree. */
    static int agreedMasterPort(List<RedisServer> sentinels) {
        List<Integer> ports = masterPorts(sentinels);
        return ports.stream()
                .filter(port -> ports.stream().filter(port::equals).count() >= QUORUM)
                .findFirst()
                .orElse(0);
    }

    private static Map<String, String> fields(@Nullable Object reply) {
        List<?> flat = (List<?>) Objects.requireNonNull(reply);
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i + 1 < flat.size(); i += 2) {
            fields.put(String.valueOf(flat.get(i)), String.valueOf(flat.get(i + 1)));
        }
        return fields;
    }
}

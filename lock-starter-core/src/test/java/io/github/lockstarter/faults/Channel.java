package io.github.lockstarter.faults;

import io.github.lockstarter.testsupport.RedisCli;
import java.util.List;
import java.util.Objects;

/** The channel on which releases are told, as Redis sees it. */
final class Channel {

    static final String NAME = "lock:released";

    private Channel() {}

    static long subscribers(RedisCli redis) {
        return (Long) ((List<?>) Objects.requireNonNull(redis.command("PUBSUB", "NUMSUB", NAME))).get(1);
    }

    /** Connections that subscribe to anything. */
    static long connections(RedisCli redis) {
        return String.valueOf(redis.command("CLIENT", "LIST", "TYPE", "pubsub"))
                .lines()
                .filter(line -> line.contains("sub=1 "))
                .count();
    }
}

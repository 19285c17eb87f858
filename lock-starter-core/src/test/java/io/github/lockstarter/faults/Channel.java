package io.github.lockstarter.faults;

import io.github.lockstarter.testsupport.RedisCli;
import java.util.List;
import java.util.Objects;

/** The inboxes of instances, as Redis sees them: channels with the messages about their grants. */
final class Channel {

    private static final String INBOXES = "lock:inbox:";

    private Channel() {}

    /** Returns the channel of the instance whose id begins with that of its instance. */
    static String of(String id) {
        return INBOXES + id.substring(0, id.indexOf('-'));
    }

    /** Instances that listen: those that have waited, and those that have held a lock for about a second. */
    static long subscribers(RedisCli redis) {
        return channels(redis, INBOXES + "*").size();
    }

    /** Channels with subscribers, whatever their name. */
    static List<?> all(RedisCli redis) {
        return channels(redis, "*");
    }

    private static List<?> channels(RedisCli redis, String pattern) {
        return (List<?>) Objects.requireNonNull(redis.command("PUBSUB", "CHANNELS", pattern));
    }

    /** Connections that subscribe to anything. */
    static long connections(RedisCli redis) {
        return String.valueOf(redis.command("CLIENT", "LIST", "TYPE", "pubsub"))
                .lines()
                .filter(line -> line.contains("sub=1 "))
                .count();
    }
}

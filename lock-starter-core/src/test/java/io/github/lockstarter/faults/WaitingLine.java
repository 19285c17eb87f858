package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;

import io.github.lockstarter.testsupport.RedisCli;
import java.util.List;
import java.util.stream.Stream;

/** Who stands in line for a lock, as it is written in Redis. */
final class WaitingLine {

    private WaitingLine() {}

    /** The entries, the first one first. */
    static List<String> of(RedisCli redis, String key) {
        String line = (String) redis.command("HGET", key, "q");
        return line == null
                ? List.of()
                : Stream.of(line.split(";")).filter(entry -> !entry.isEmpty()).toList();
    }

    static void awaitLength(RedisCli redis, String key, int length) {
        soon().until(() -> of(redis, key).size() == length);
    }
}

package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.StoredLine;
import java.util.List;

/** Who stands in line for a lock, as it is written in Redis. */
final class WaitingLine {

    private WaitingLine() {}

    /** The entries, the first one first. */
    static List<String> of(RedisCli redis, String key) {
        return StoredLine.of(redis, key).stream()
                .map(entry -> entry.id() + ':' + entry.inbox())
                .toList();
    }

    /** Waits until there are so many entries, each of which has an inbox, to which a message will be sent. */
    static void awaitSubscribed(RedisCli redis, String key, int length) {
        soon().until(() -> {
            List<String> entries = of(redis, key);
            return entries.size() == length && entries.stream().noneMatch(entry -> entry.endsWith(":"));
        });
    }

    static void awaitLength(RedisCli redis, String key, int length) {
        soon().until(() -> of(redis, key).size() == length);
    }
}

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

    static void awaitLength(RedisCli redis, String key, int length) {
        soon().until(() -> of(redis, key).size() == length);
    }
}

package io.github.lockstarter.faults;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.awaitility.core.ConditionFactory;

/** Waiting for conditions, never for time. */
final class Waiting {

    /** For what takes no time on an idle machine. */
    static final Duration LIMIT = Duration.ofSeconds(10);

    private Waiting() {}

    static ConditionFactory within(Duration limit) {
        return await().pollInSameThread().atMost(limit).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
    }

    static ConditionFactory soon() {
        return within(LIMIT);
    }
}

package io.github.lockstarter.testsupport;

import java.io.UncheckedIOException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Conditions of servers that tests await. */
final class Awaiting {

    /** Limit of conditions that take seconds on a machine with other work. */
    static final Duration LIMIT = Duration.ofSeconds(30);

    private static final Duration POLL = Duration.ofMillis(20);

    private Awaiting() {}

    /** Awaits a state of servers. A server that cannot be reached, or answers with an error, has not reached it yet. */
    static ConditionFactory servers(String description) {
        return Awaitility.await(description)
                .pollInSameThread()
                .atMost(LIMIT)
                .pollDelay(Duration.ZERO)
                .pollInterval(POLL)
                .ignoreExceptionsMatching(
                        failure -> failure instanceof UncheckedIOException || failure instanceof RedisErrorException);
    }
}

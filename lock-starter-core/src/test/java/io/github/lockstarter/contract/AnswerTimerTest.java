package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.soon;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.lease.settings.ReleaseMode;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The only thread that does not end with its registry, for all registries share it. */
@RedisTest
class AnswerTimerTest extends RegistryFixture {

    static final String THREAD = "lock-answer-timer-";

    AnswerTimerTest(RedisServer server) {
        super(new RedisBackend(server));
    }

    /** A test before may have left a look behind that is planned for the end of its command timeout, up to half a minute. */
    @BeforeEach
    void awaitEndOfOthers() {
        soon().atMost(LONG).until(() -> !runs());
    }

    @Test
    void shouldEndSoonAfterTheLastAnswer() {
        // a release for whose answer nobody waits
        LeaseLock lock = registry(settings(TIMEOUT).withReleaseMode(ReleaseMode.BACKGROUND))
                .getLock(NAME);
        lock.lock();
        try {
            // nothing to do: the release counts
        } finally {
            lock.unlock();
        }
        soon().until(AnswerTimerTest::runs);

        soon().until(() -> !runs());
    }

    private static boolean runs() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith(THREAD));
    }
}

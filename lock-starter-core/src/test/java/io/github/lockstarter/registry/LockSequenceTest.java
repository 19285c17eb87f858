package io.github.lockstarter.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is left of the wait time of a call after some of its locks are granted. */
class LockSequenceTest {

    private static final LockSettings DEFAULTS = LockSettings.of(Duration.ofSeconds(30));

    @Test
    void shouldShareOneDeadline() {
        LockRequest request = LockRequest.of("a").withWaitTime(Duration.ofMillis(300));

        assertThat(waitAfter(100, request)).isEqualTo(Duration.ofMillis(200));
        assertThat(waitAfter(400, request)).isEqualTo(Duration.ZERO);
        assertThat(waitAfter(3_600_000, request.withWaitTime(LockRequest.FOREVER)))
                .isEqualTo(LockRequest.FOREVER);
        assertThat(waitAfter(1000, LockRequest.of("a")))
                .isEqualTo(DEFAULTS.waitTime().minusSeconds(1));
    }

    private static Duration waitAfter(long millis, LockRequest request) {
        return LockSequence.afterWaiting(request, DEFAULTS.waitTimeOf(request), TimeUnit.MILLISECONDS.toNanos(millis))
                .waitTime();
    }
}

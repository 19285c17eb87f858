package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is left of the wait time of a call after some of its locks are granted. */
class LockSequenceTest {

    @Test
    void shouldShareOneDeadline() {
        LockRequest request = LockRequest.of("a").withWaitTime(Duration.ofMillis(300));

        assertThat(LockSequence.afterWaiting(request, TimeUnit.MILLISECONDS.toNanos(100), Duration.ofHours(1))
                        .waitTime())
                .isEqualTo(Duration.ofMillis(200));
        assertThat(LockSequence.afterWaiting(request, TimeUnit.MILLISECONDS.toNanos(400), Duration.ofHours(1))
                        .waitTime())
                .isEqualTo(Duration.ZERO);
        LockRequest unlimited = request.withWaitTime(LockRequest.FOREVER);
        assertThat(LockSequence.afterWaiting(unlimited, TimeUnit.HOURS.toNanos(1), Duration.ofHours(1))
                        .waitTime())
                .isEqualTo(LockRequest.FOREVER);
        assertThat(LockSequence.afterWaiting(LockRequest.of("a"), TimeUnit.SECONDS.toNanos(1), Duration.ofSeconds(3))
                        .waitTime())
                .isEqualTo(Duration.ofSeconds(2));
    }
}

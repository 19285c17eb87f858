package io.github.lockstarter.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockHealth.Status;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FirstReplyTest {

    private static LockHealth health(boolean hasReplied) {
        return new LockHealth(
                hasReplied ? Status.UP : Status.DOWN,
                hasReplied ? null : "not connected",
                "Redis",
                hasReplied ? Duration.ofMillis(1) : null,
                0,
                0,
                0,
                Duration.ZERO,
                0,
                null,
                null);
    }

    @Test
    void shouldWaitForIt() {
        AtomicInteger questions = new AtomicInteger();

        new FirstReply(() -> health(questions.incrementAndGet() == 3)).start();

        assertThat(questions).as("questions until the reply").hasValue(3);
    }

    /** Before its start, the registry asks for no reply. */
    @Test
    void shouldStartAfterTheRegistry() {
        assertThat(new FirstReply(() -> null).getPhase())
                .as("phase in which a test waits for the first reply")
                .isGreaterThan(LeasingLockRegistry.PHASE);
    }

    @Test
    void shouldNotWaitWithoutARegistry() {
        AtomicInteger questions = new AtomicInteger();

        new FirstReply(() -> {
                    questions.incrementAndGet();
                    return null;
                })
                .start();

        assertThat(questions).hasValue(1);
    }
}

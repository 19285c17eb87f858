package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockHealth.Status;
import io.github.lockstarter.lease.support.LeaseClock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The first answer of the store arrives while the first report is made. */
class FirstHealthTest extends PuppetRegistry {

    private final CountDownLatch asked = new CountDownLatch(1);

    /** The system's, except that the store answers while the reporting thread reads it for the third time. */
    private final class AnsweringClock implements LeaseClock {

        private final Thread reporter = Thread.currentThread();

        private volatile boolean armed;

        private int reads;

        @Override
        public long nanoTime() {
            if (this.armed && Thread.currentThread() == this.reporter && ++this.reads == 3) {
                this.armed = false;
                FirstHealthTest.this.asked.countDown();
                eventually().until(() -> otherReport().lastAnswer() != null);
            }
            return System.nanoTime();
        }

        @Override
        public long currentTimeMillis() {
            return System.currentTimeMillis();
        }
    }

    private LeasingLockRegistry registry;

    private LockHealth otherReport() throws Exception {
        LockHealth[] report = new LockHealth[1];
        Thread other = new Thread(() -> report[0] = this.registry.health());
        other.start();
        other.join();
        return report[0];
    }

    @Test
    void shouldNotBeUnknownBesideAnAnswer() {
        AnsweringClock clock = new AnsweringClock();
        this.registry = registry(settings(LONG, Duration.ZERO), clock);
        store().onIsLocked(real -> {
            assertThat(this.asked.await(20, TimeUnit.SECONDS)).isTrue();
            return real.make();
        });
        clock.armed = true;

        LockHealth first = this.registry.health();

        assertThat(clock.armed).as("the answer came meanwhile").isFalse();
        assertThat(first.lastAnswer() == null).isEqualTo(first.status() == Status.UNKNOWN);
        assertThat(this.registry.health().status()).isEqualTo(Status.UP);
    }
}

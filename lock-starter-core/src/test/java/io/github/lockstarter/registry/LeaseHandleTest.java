package io.github.lockstarter.registry;

import io.github.lockstarter.engine.LeaseClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.store.InMemoryLockStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases as time passes, by a clock of the test. */
@Timeout(30)
class LeaseHandleTest {

    private volatile Duration passed = Duration.ZERO;

    private final LeaseClock clock = new LeaseClock() {

        @Override
        public long nanoTime() {
            return System.nanoTime() + LeaseHandleTest.this.passed.toNanos();
        }

        @Override
        public long currentTimeMillis() {
            return System.currentTimeMillis() + LeaseHandleTest.this.passed.toMillis();
        }
    };

    @AutoClose("stop")
    private final LeasingLockRegistry registry = new LeasingLockRegistry(
            new InMemoryLockStore(), LockSettings.of(Duration.ofSeconds(30)), null, List.of(), null, this.clock);

    /** Otherwise work that asks before each step would go on for ever. */
    @Test
    void shouldNotExtendAFixedLeaseThatIsAskedForItsRest() throws Exception {
        Lease lease = this.registry.acquire(LockRequest.of("fixed").withLease(Duration.ofSeconds(100)));
        this.passed = Duration.ofSeconds(50);

        assertThatExceptionOfType(LockLostException.class)
                .as("a requirement of more than is left")
                .isThrownBy(() -> lease.ensureHeld(Duration.ofSeconds(60)));

        assertThat(lease.remaining())
                .as("rest of a lease of 100 seconds after 50 seconds")
                .isLessThanOrEqualTo(Duration.ofSeconds(50));
        assertThat(lease.release()).as("the lease was held").isTrue();
    }

    @Test
    void shouldKeepAnInterruptOfAnotherOriginThoughTheLossInterruptsTheBody() {
        LockRequest request =
                LockRequest.of("body").withLease(Duration.ofSeconds(10)).withOnLost(OnLost.INTERRUPT);

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> this.registry.execute(request, lease -> {
                    Thread.currentThread().interrupt();
                    this.passed = Duration.ofSeconds(20);
                    assertThat(lease.isHeld()).as("the lease after its end").isFalse();
                    return null;
                }));

        assertThat(Thread.interrupted())
                .as("interrupt of the body that was there before the loss")
                .isTrue();
    }
}

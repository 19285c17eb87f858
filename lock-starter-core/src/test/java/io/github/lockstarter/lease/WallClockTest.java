package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LossReason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Somebody sets the wall clock of the machine on which locks are held and waited for. */
class WallClockTest extends PuppetRegistry {

    private static final Duration WAIT = Duration.ofMillis(800);

    private final ShiftedClock clock = new ShiftedClock();

    private final AtomicInteger renewed = new AtomicInteger();

    private final AtomicInteger lost = new AtomicInteger();

    private LeasingLockRegistry registry() {
        return registry(settings(TIMEOUT, Duration.ZERO), this.clock, new LockListener() {
            @Override
            public void renewed(LockRenewedEvent event) {
                WallClockTest.this.renewed.incrementAndGet();
            }

            @Override
            public void lost(LockLostEvent event) {
                WallClockTest.this.lost.incrementAndGet();
            }
        });
    }

    @Test
    void shouldNotMindAStepBack() throws Exception {
        Lease lease = registry().acquire(request());

        this.clock.shift(Duration.ofHours(-1));

        int before = this.renewed.get();
        eventually().until(() -> this.renewed.get() > before + 4);
        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        assertThat(lease.remaining()).isBetween(Duration.ofMillis(1), TIMEOUT);
        assertThat(lease.release()).isTrue();
        assertThat(this.lost).hasValue(0);
    }

    /** It cannot be told from a machine that was suspended, and then the lock is somebody else's. */
    @Test
    void shouldTakeAStepForwardForALossAndWorkAfterwards() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease lease = registry.acquire(request());

        this.clock.shift(Duration.ofHours(1));

        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.lost().toCompletableFuture().get(20, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);
        assertThat(lease.release()).isFalse();
        store().forceRelease(NAME);
        Lease next = registry.acquire(request());
        int before = this.renewed.get();
        eventually().until(() -> this.renewed.get() > before + 4);
        assertThat(next.state()).isEqualTo(Lease.State.HELD);
        assertThat(next.release()).isTrue();
    }

    @Test
    void shouldWaitForAsLongAsItWasTold() throws Exception {
        LeasingLockRegistry registry = registry();
        // somebody else's, so that the one who waits looks again and again
        store().acquire(NAME, "somebody", LONG.toMillis(), false);

        for (Duration step : List.of(Duration.ofHours(-1), Duration.ofHours(2))) {
            FutureTask<Duration> waiter = new FutureTask<>(() -> {
                long askedAt = System.nanoTime();
                assertThat(registry.tryAcquire(request().withWaitTime(WAIT))).isEmpty();
                return Duration.ofNanos(System.nanoTime() - askedAt);
            });
            new Thread(waiter, "waiter").start();
            eventually().until(() -> registry.waiting() == 1);

            this.clock.shift(step);

            assertThat(waiter.get(20, TimeUnit.SECONDS)).isBetween(WAIT, WAIT.plusSeconds(5));
        }
    }
}

package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Interleavings;
import io.github.lockstarter.lease.HandClock;
import io.github.lockstarter.lease.support.LeaseClock;
import java.util.concurrent.TimeUnit;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of the replies to a renewal of the watchdog and to one that a nested hold awaits, and of the owner that asks
 * how much is left: the longer lease counts in the end, and before, the owner never has more than that.
 */
public class LeaseValidityModelTest {

    private static final long SHORT = 30_000;

    private static final long LONG = 3_600_000;

    private final LeaseClock clock = new HandClock();

    private final Grant grant = new Grant(LockRequest.of("orders:42"), "id", 7, this.clock.nanoTime(), null);

    private final long start = this.clock.nanoTime();

    private final long startWall = this.clock.currentTimeMillis();

    private volatile long seen;

    public LeaseValidityModelTest() {
        this.grant.extend(this.start - 10_000_000, this.startWall - 10, SHORT);
    }

    private static long valid(long leaseMillis) {
        return TimeUnit.MILLISECONDS.toNanos(leaseMillis) - LeaseValidity.marginNanos(leaseMillis);
    }

    @Operation(runOnce = true)
    public void renewed() {
        this.grant.extend(this.start - 5_000_000, this.startWall - 5, SHORT);
    }

    @Operation(runOnce = true)
    public void lengthened() {
        this.grant.extend(this.start, this.startWall, LONG);
    }

    @Operation(runOnce = true)
    public void ask() {
        this.seen = this.grant.remaining(this.clock);
    }

    @Validate
    public void shouldHaveTheLongerLease() {
        long remaining = this.grant.remaining(this.clock);
        if (remaining != valid(LONG)) {
            throw new IllegalStateException("shortened to " + TimeUnit.NANOSECONDS.toMillis(remaining) + " ms");
        }
        if (this.seen > valid(LONG) || this.seen < valid(SHORT) - 10_000_000) {
            throw new IllegalStateException("had " + this.seen);
        }
    }

    @Test
    void shouldHoldInEveryInterleaving() {
        Interleavings.check(LeaseValidityModelTest.class, 3, 100);
    }
}

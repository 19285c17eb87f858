package io.github.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Two clocks that a test moves by hand. */
public final class HandClock implements LeaseClock {

    private final AtomicLong nanos =
            new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(5).toNanos());

    private final AtomicLong millis = new AtomicLong(1_800_000_000_000L);

    /** Time passes. */
    public void pass(Duration time) {
        this.nanos.addAndGet(time.toNanos());
        this.millis.addAndGet(time.toMillis());
    }

    /** Time passes, but the machine is suspended: only the wall clock knows afterwards. */
    public void passSuspended(Duration time) {
        this.millis.addAndGet(time.toMillis());
    }

    /** Somebody sets the wall clock. */
    public void setWall(Duration step) {
        this.millis.addAndGet(step.toMillis());
    }

    @Override
    public long nanoTime() {
        return this.nanos.get();
    }

    @Override
    public long currentTimeMillis() {
        return this.millis.get();
    }
}

package io.github.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** The clocks of the system, of which the wall clock can be set, and which can be made to stop whoever looks at them. */
final class ShiftedClock implements LeaseClock {

    private final AtomicLong shiftMillis = new AtomicLong();

    private final AtomicReference<Runnable> whenNanosAreRead = new AtomicReference<>();

    private final AtomicReference<Runnable> whenMillisAreRead = new AtomicReference<>();

    /** Sets the wall clock, as after a suspension of the machine. */
    void shift(Duration time) {
        this.shiftMillis.addAndGet(time.toMillis());
    }

    /** Runs that on each reading thread, before the monotonic clock is read; null: nothing. */
    void whenNanosAreRead(Runnable action) {
        this.whenNanosAreRead.set(action);
    }

    /** Runs that on each reading thread, before the wall clock is read; null: nothing. */
    void whenMillisAreRead(Runnable action) {
        this.whenMillisAreRead.set(action);
    }

    @Override
    public long nanoTime() {
        run(this.whenNanosAreRead.get());
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        run(this.whenMillisAreRead.get());
        return System.currentTimeMillis() + this.shiftMillis.get();
    }

    private static void run(Runnable action) {
        if (action != null) {
            action.run();
        }
    }
}

package io.github.lockstarter.benchmarks.contention;

import java.util.concurrent.locks.LockSupport;

/** Lets time go by. Parks: spinning would take the processors from others. */
public final class Pause {

    private Pause() {}

    /** Returns at that moment, by {@link System#nanoTime()}, even if the thread is interrupted. */
    public static void until(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}

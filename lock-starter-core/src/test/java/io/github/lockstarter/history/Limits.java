package io.github.lockstarter.history;

import java.time.Duration;

/**
 * How long things may take, in nanoseconds.
 *
 * @param lease lease of the locks
 * @param command time that a command may take
 * @param poll interval at which waiters look by themselves
 * @param slack for a machine that has other things to do
 */
record Limits(long lease, long command, long poll, long slack) {

    static Limits ofMillis(long lease, long command, long poll, long slack) {
        return new Limits(millis(lease), millis(command), millis(poll), millis(slack));
    }

    private static long millis(long time) {
        return Duration.ofMillis(time).toNanos();
    }

    /** How long a lock may stay with waiters that stood in line and have gone: the store keeps it two poll intervals for each. */
    long tail() {
        return 3 * 2 * this.poll + this.command;
    }
}

package io.github.lockstarter.history;

import java.time.Duration;

/**
 * How long things may take, in nanoseconds.
 *
 * @param lease lease of the locks
 * @param command time that a command may take
 * @param claim how long the store keeps a lock for somebody in line who does not come
 * @param slack for a machine that has other things to do
 */
record Limits(long lease, long command, long claim, long slack) {

    static Limits of(Duration lease, Duration command, Duration poll, Duration slack) {
        return new Limits(
                lease.toNanos(), command.toNanos(), poll.multipliedBy(2).toNanos(), slack.toNanos());
    }

    /** How long a lock may stay with those who stood in line and have gone. */
    long tail() {
        return 3 * this.claim + this.command;
    }
}

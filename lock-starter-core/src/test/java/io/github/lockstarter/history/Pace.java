package io.github.lockstarter.history;

import java.time.Duration;

/** How quick everything is. */
record Pace(Duration lease, Duration command, Duration poll) {

    static Pace ofMillis(long lease, long command, long poll) {
        return new Pace(Duration.ofMillis(lease), Duration.ofMillis(command), Duration.ofMillis(poll));
    }

    Limits limits(Duration slack) {
        return Limits.of(this.lease, this.command, this.poll, slack);
    }
}

package io.github.lockstarter.lease.settings;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.text.DurationText;
import java.time.Duration;

/** Requires that a failed renewal can be repeated once before the lease ends; otherwise says which setting to change. */
record RenewalRule(Duration timeout, Duration renewInterval, Duration commandTimeout) {

    private static final Duration ONE_MILLI = Duration.ofMillis(1);

    void require() {
        Duration usable = this.timeout.multipliedBy(9).dividedBy(10);
        Duration commands = this.commandTimeout.multipliedBy(2);
        if (this.renewInterval.compareTo(ONE_MILLI) >= 0
                && this.renewInterval.plus(commands).compareTo(usable) <= 0) {
            return;
        }
        throw new InvalidLockSettingException(
                        "watchdog.renew-interval",
                        this.renewInterval,
                        "must leave room for a retry: renew-interval + 2 x distributed-lock.redis.command-timeout ("
                                + DurationText.of(this.commandTimeout)
                                + ") must not exceed nine tenths of watchdog.timeout ("
                                + DurationText.of(this.timeout) + ")",
                        remedy(
                                usable.minus(commands),
                                usable.minus(this.renewInterval).dividedBy(2)))
                .with("redis.command-timeout", this.commandTimeout)
                .with("watchdog.timeout", this.timeout);
    }

    /** Returns for each of the three settings its limit while the other two stay, if changing it alone is enough. */
    private String remedy(Duration longestInterval, Duration longestCommand) {
        if (this.renewInterval.compareTo(ONE_MILLI) < 0) {
            return "Set distributed-lock.watchdog.renew-interval to a time, or leave it out: a third of the timeout.";
        }
        StringBuilder remedy = new StringBuilder("Set ");
        if (longestInterval.compareTo(ONE_MILLI) >= 0) {
            remedy.append("distributed-lock.watchdog.renew-interval to at most ")
                    .append(inMillis(longestInterval))
                    .append(", or ");
        }
        if (longestCommand.compareTo(ONE_MILLI) >= 0) {
            remedy.append("distributed-lock.redis.command-timeout to at most ")
                    .append(inMillis(longestCommand))
                    .append(", or ");
        }
        return remedy.append("distributed-lock.watchdog.timeout to at least ")
                .append(DurationText.of(Duration.ofSeconds(shortestTimeout().toSeconds() + 1)))
                .append('.')
                .toString();
    }

    /** An interval that is not set is a third of the timeout, and so grows with it: enough in both cases. */
    private Duration shortestTimeout() {
        Duration commands = this.commandTimeout.multipliedBy(2);
        Duration asItIs = this.renewInterval.plus(commands).multipliedBy(10).dividedBy(9);
        Duration ifItGrows = commands.multipliedBy(30).dividedBy(17);
        return asItIs.compareTo(ifItGrows) > 0 ? asItIs : ifItGrows;
    }

    private static String inMillis(Duration time) {
        return DurationText.of(Duration.ofMillis(time.toMillis()));
    }
}

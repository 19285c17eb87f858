package io.github.lockstarter.lease.settings;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.text.DurationText;
import java.time.Duration;

/** Requires that a failed renewal can be repeated once before the lease ends; otherwise says which setting to change. */
record RenewalRule(Duration timeout, Duration renewInterval, Duration commandTimeout) {

    private static final Duration ONE_MILLI = Duration.ofMillis(1);

    void require() {
        if (isMet()) {
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
                                usable().minus(this.commandTimeout.multipliedBy(2)),
                                usable().minus(this.renewInterval).dividedBy(2)))
                .with("redis.command-timeout", this.commandTimeout)
                .with("watchdog.timeout", this.timeout);
    }

    /** Requires the same of a timeout by name, whose interval is a third of it. */
    static void require(NamedValue<Duration> timeout, Duration commandTimeout) {
        RenewalRule rule = new RenewalRule(timeout.value(), timeout.value().dividedBy(3), commandTimeout);
        if (rule.isMet()) {
            return;
        }
        Duration longestCommand = rule.usable().minus(rule.renewInterval).dividedBy(2);
        throw new InvalidLockSettingException(
                        timeout.property(),
                        timeout.value(),
                        "must leave room for a retry: a third of it + 2 x distributed-lock.redis.command-timeout ("
                                + DurationText.of(commandTimeout) + ") must not exceed nine tenths of it",
                        "Set it to at least " + inMillis(rule.shortestTimeout().plusMillis(1))
                                + ", or distributed-lock.redis.command-timeout, which applies to all locks, to at most "
                                + inMillis(longestCommand) + '.')
                .with("redis.command-timeout", commandTimeout);
    }

    private boolean isMet() {
        return this.renewInterval.compareTo(ONE_MILLI) >= 0
                && this.renewInterval.plus(this.commandTimeout.multipliedBy(2)).compareTo(usable()) <= 0;
    }

    private Duration usable() {
        return this.timeout.multipliedBy(9).dividedBy(10);
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

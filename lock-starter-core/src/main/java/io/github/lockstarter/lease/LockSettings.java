package io.github.lockstarter.lease;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.text.DurationText;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Times that a registry works with. Refuses what cannot work, in terms of the properties that users set.
 *
 * @param waitTime wait of requests that do not say; zero: try once, {@link LockRequest#FOREVER}: no limit
 * @param onLost what {@code execute} does on loss unless the request says; not {@code DEFAULT}
 * @param watchdogTimeout lease of renewed locks
 * @param renewInterval from one renewal to the next
 * @param maxHold cap of renewed leases; null: none
 * @param commandTimeout time a command to the store may take; a renewal that takes longer is late
 * @param pollInterval how often a waiter looks, at least
 * @param shutdownTimeout how long bodies may go on when the registry stops
 * @param handOff how long a lock may stay among the waiters of this JVM
 * @param releaseMode when a release returns
 * @param logKeys whether log lines and messages of exceptions contain the keys of locks; otherwise digests stand for them
 */
public record LockSettings(
        Duration waitTime,
        OnLost onLost,
        Duration watchdogTimeout,
        Duration renewInterval,
        @Nullable Duration maxHold,
        Duration commandTimeout,
        Duration pollInterval,
        Duration shutdownTimeout,
        HandOff handOff,
        ReleaseMode releaseMode,
        boolean logKeys) {

    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);

    private static final Duration LONGEST_TIME = Duration.ofDays(3660);

    private static final Duration ONE_MILLI = Duration.ofMillis(1);

    public LockSettings {
        require(
                LockRequest.FOREVER.equals(waitTime) || between(waitTime, Duration.ZERO),
                "wait-time",
                waitTime,
                "must be zero (try once), a time up to 3660 days, or -1ms (wait for ever)",
                "10s");
        require(onLost != OnLost.DEFAULT, "on-lost", onLost, "must be throw, interrupt or ignore", "throw");
        require(
                between(watchdogTimeout, SHORTEST_TIMEOUT),
                "watchdog.timeout",
                watchdogTimeout,
                "must be at least 100ms and at most 3660 days",
                "30s");
        require(
                between(commandTimeout, ONE_MILLI),
                "redis.command-timeout",
                commandTimeout,
                "must be at least 1ms",
                "a sixth of watchdog.timeout, at most 3s");
        require(
                between(pollInterval, ONE_MILLI),
                "redis.poll-interval",
                pollInterval,
                "must be at least 1ms",
                "a sixth of watchdog.timeout, at most 1s");
        new RenewalRoom(watchdogTimeout, renewInterval, commandTimeout).require();
        require(
                maxHold == null || between(maxHold, ONE_MILLI),
                "watchdog.max-hold",
                maxHold,
                "must be at least 1ms, or absent for no cap",
                "no cap");
        require(
                between(shutdownTimeout, Duration.ZERO),
                "shutdown-timeout",
                shutdownTimeout,
                "must be zero or more",
                "10s");
    }

    /** Ten seconds of waiting and that watchdog timeout; everything else follows from it. */
    public static LockSettings of(Duration watchdogTimeout) {
        return of(
                Duration.ofSeconds(10), OnLost.THROW, watchdogTimeout, null, null, null, null, Duration.ofSeconds(10));
    }

    /**
     * Settings in which null stands for "what follows from the watchdog timeout", and a cap of null or -1 ms for none.
     *
     * @throws InvalidLockSettingException if a value is out of range, two of them do not fit, or {@code onLost} is
     *     {@code DEFAULT}
     */
    public static LockSettings of(
            Duration waitTime,
            OnLost onLost,
            Duration watchdogTimeout,
            @Nullable Duration renewInterval,
            @Nullable Duration maxHold,
            @Nullable Duration commandTimeout,
            @Nullable Duration pollInterval,
            Duration shutdownTimeout) {
        return new LockSettings(
                waitTime,
                onLost,
                watchdogTimeout,
                renewInterval != null ? renewInterval : watchdogTimeout.dividedBy(3),
                LockRequest.FOREVER.equals(maxHold) ? null : maxHold,
                commandTimeout != null ? commandTimeout : defaultCommandTimeout(watchdogTimeout),
                pollInterval != null ? pollInterval : sixthOf(watchdogTimeout, Duration.ofSeconds(1)),
                shutdownTimeout,
                HandOff.DEFAULT,
                ReleaseMode.AWAIT,
                true);
    }

    /** The same but for that budget. */
    public LockSettings withHandOff(HandOff changed) {
        return with(changed, this.releaseMode, this.logKeys);
    }

    /** The same but for that mode. */
    public LockSettings withReleaseMode(ReleaseMode changed) {
        return with(this.handOff, changed, this.logKeys);
    }

    /** The same but for whether messages contain keys. */
    public LockSettings withLogKeys(boolean changed) {
        return with(this.handOff, this.releaseMode, changed);
    }

    /** Returns the times that matter in every log, as they are written in a configuration. */
    String times() {
        String wait = LockRequest.FOREVER.equals(this.waitTime) ? "-1 (no limit)" : DurationText.of(this.waitTime);
        return "watchdog timeout " + DurationText.of(this.watchdogTimeout) + ", renewal every "
                + DurationText.of(this.renewInterval) + ", wait time " + wait + ", command timeout "
                + DurationText.of(this.commandTimeout);
    }

    /** How messages name locks. */
    LoggedNames names() {
        return LoggedNames.withKeys(this.logKeys);
    }

    private LockSettings with(HandOff changedHandOff, ReleaseMode changedMode, boolean changedLogKeys) {
        return new LockSettings(
                this.waitTime,
                this.onLost,
                this.watchdogTimeout,
                this.renewInterval,
                this.maxHold,
                this.commandTimeout,
                this.pollInterval,
                this.shutdownTimeout,
                changedHandOff,
                changedMode,
                changedLogKeys);
    }

    /** Returns how long a command may take where that is not configured. */
    public static Duration defaultCommandTimeout(Duration watchdogTimeout) {
        return sixthOf(watchdogTimeout, Duration.ofSeconds(3));
    }

    private static Duration sixthOf(Duration watchdogTimeout, Duration atMost) {
        Duration sixth = watchdogTimeout.dividedBy(6);
        return sixth.compareTo(atMost) < 0 ? sixth : atMost;
    }

    private static boolean between(Duration value, Duration least) {
        return value.compareTo(least) >= 0 && value.compareTo(LONGEST_TIME) <= 0;
    }

    static void require(boolean valid, String property, @Nullable Object value, String rule, String otherwise) {
        if (!valid) {
            throw new InvalidLockSettingException(
                    property, value, rule, "Set it accordingly, or leave it out; the default is " + otherwise + ".");
        }
    }
}

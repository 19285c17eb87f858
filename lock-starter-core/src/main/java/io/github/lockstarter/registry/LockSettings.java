package io.github.lockstarter.registry;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.RequestDefaults;
import io.github.lockstarter.named.SettingRule;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a registry. Immutable. Rejects values that cannot work, and names the properties that users set.
 *
 * @param waitTime wait time of requests that specify none; zero is a single attempt, {@link LockRequest#FOREVER} has no
 *     limit
 * @param onLost reaction of {@code execute} to a loss unless the request specifies one; not {@code DEFAULT}
 * @param watchdogTimeout lease of renewed locks
 * @param renewInterval time from one renewal to the next
 * @param maxHold limit for renewed leases, or {@code null} if there is none
 * @param commandTimeout time that a command to the store may take; a renewal that takes longer is late
 * @param pollInterval longest time from one attempt of a waiter to the next
 * @param shutdownTimeout time for which locked code may continue after the stop of the registry
 * @param handOff limits of hand-offs between waiters of this JVM
 * @param releaseMode when a release returns
 * @param logKeys whether log lines and exception messages contain the keys of locks; otherwise they contain digests
 * @param application name of the application, which other instances show as the holder of a lock
 * @param warnOnUnlockInTransaction whether a lock that is released in a running transaction is logged as a warning
 * @param maxWaiters maximum number of callers of this instance that wait for one lock, or {@code null} if there is no
 *     limit
 * @param named settings of locks by their static names, which take precedence
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
        HandOffSettings handOff,
        ReleaseMode releaseMode,
        boolean logKeys,
        String application,
        boolean warnOnUnlockInTransaction,
        @Nullable Integer maxWaiters,
        SettingsByName named)
        implements RequestDefaults {

    /** Name of an application without a configured name. */
    public static final String UNNAMED_APPLICATION = "application";

    private static final String TIMEOUT = "watchdog.timeout";

    public LockSettings {
        SettingRule.requireWaitTime("wait-time", waitTime, "10s");
        SettingRule.require(onLost != OnLost.DEFAULT, "on-lost", onLost, "must be throw, interrupt or ignore", "throw");
        SettingRule.requireTimeout(TIMEOUT, watchdogTimeout, "30s");
        SettingRule.require(
                SettingRule.isPositive(commandTimeout),
                "redis.command-timeout",
                commandTimeout,
                "must be at least 1ms",
                "a sixth of watchdog.timeout, at most 3s");
        SettingRule.require(
                SettingRule.isPositive(pollInterval),
                "redis.poll-interval",
                pollInterval,
                "must be at least 1ms",
                "a sixth of watchdog.timeout, at most 1s");
        SettingRule.require(
                SettingRule.isPositive(renewInterval),
                "watchdog.renew-interval",
                renewInterval,
                "must be at least 1ms",
                "a third of watchdog.timeout");
        requireRetry(TIMEOUT, watchdogTimeout, renewInterval, commandTimeout);
        for (NamedSettings each : named.all()) {
            NamedValue<Duration> own = each.watchdogTimeout();
            if (own != null) {
                requireRetry(own.property(), own.value(), own.value().dividedBy(3), commandTimeout);
            }
        }
        SettingRule.require(
                maxHold == null || SettingRule.isPositive(maxHold),
                "watchdog.max-hold",
                maxHold,
                "must be at least 1ms, or absent for no cap",
                "no cap");
        SettingRule.require(
                SettingRule.isTime(shutdownTimeout, Duration.ZERO),
                "shutdown-timeout",
                shutdownTimeout,
                "must be zero or more",
                "10s");
        SettingRule.requireMaxWaiters("max-waiters", maxWaiters, "no limit");
    }

    /**
     * Creates settings with a wait time of 10 s and the given watchdog timeout, from which the other times are derived.
     */
    public static LockSettings of(Duration watchdogTimeout) {
        return of(
                Duration.ofSeconds(10), OnLost.THROW, watchdogTimeout, null, null, null, null, Duration.ofSeconds(10));
    }

    /**
     * Creates settings. Values that are {@code null} are derived from the watchdog timeout. A {@code maxHold} of {@code
     * null} or -1 ms means that there is no limit.
     *
     * @throws InvalidLockSettingException if a value is out of range, two values are incompatible, or {@code onLost} is
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
                commandTimeout != null ? commandTimeout : defaultCommandTimeout(watchdogTimeout, SettingsByName.NONE),
                pollInterval != null ? pollInterval : shorter(watchdogTimeout.dividedBy(6), Duration.ofSeconds(1)),
                shutdownTimeout,
                HandOffSettings.DEFAULT,
                ReleaseMode.AWAIT,
                true,
                UNNAMED_APPLICATION,
                true,
                null,
                SettingsByName.NONE);
    }

    /** Returns a copy with the given limits of hand-offs. */
    public LockSettings withHandOff(HandOffSettings changed) {
        return with(changed, null, null, null, null, null, null);
    }

    /** Returns a copy with the given release mode. */
    public LockSettings withReleaseMode(ReleaseMode changed) {
        return with(null, changed, null, null, null, null, null);
    }

    /** Returns a copy whose messages contain keys or digests of them. */
    public LockSettings withLogKeys(boolean changed) {
        return with(null, null, changed, null, null, null, null);
    }

    /** Returns a copy with the given name of the application. */
    public LockSettings withApplication(String changed) {
        return with(null, null, null, changed, null, null, null);
    }

    /**
     * Returns a copy with the given settings of locks by name.
     *
     * @throws InvalidLockSettingException if a watchdog timeout leaves no time for a retry
     */
    public LockSettings withNamed(SettingsByName changed) {
        return with(null, null, null, null, null, null, changed);
    }

    /** Returns a copy that does or does not log the release of a lock in a running transaction. */
    public LockSettings withWarnOnUnlockInTransaction(boolean changed) {
        return with(null, null, null, null, changed, null, null);
    }

    /** Returns a copy in which at most this number of callers may wait for one lock; {@code null} keeps the number. */
    public LockSettings withMaxWaiters(@Nullable Integer changed) {
        return with(null, null, null, null, null, changed, null);
    }

    /** Returns the request with the settings of its name as defaults, or the same object if nothing is added. */
    public LockRequest complete(LockRequest request) {
        return this.named.complete(request);
    }

    /**
     * Returns the lease of renewed locks of a name.
     *
     * @param own settings of the name, or {@code null} if there are none
     */
    Duration watchdogTimeout(@Nullable NamedSettings own) {
        NamedValue<Duration> timeout = own != null ? own.watchdogTimeout() : null;
        return timeout != null ? timeout.value() : this.watchdogTimeout;
    }

    /**
     * Returns the time from one renewal to the next for locks of a name.
     *
     * @param own settings of the name, or {@code null} if there are none
     */
    Duration renewInterval(@Nullable NamedSettings own) {
        return own != null && own.watchdogTimeout() != null
                ? watchdogTimeout(own).dividedBy(3)
                : this.renewInterval;
    }

    /** Returns the shortest time between two renewals of a lock, over all names. */
    Duration shortestInterval() {
        return this.named.all().stream().map(this::renewInterval).reduce(this.renewInterval, LockSettings::shorter);
    }

    /** Returns the main settings for the log, in the form of a configuration. */
    public String times() {
        String wait = LockRequest.FOREVER.equals(this.waitTime) ? "-1 (no limit)" : Printable.duration(this.waitTime);
        return "watchdog timeout " + Printable.duration(this.watchdogTimeout) + ", renewal every "
                + Printable.duration(this.renewInterval) + ", wait time " + wait + ", command timeout "
                + Printable.duration(this.commandTimeout);
    }

    @Override
    public LoggedNames names() {
        return LoggedNames.withKeys(this.logKeys);
    }

    /** Returns a copy in which the arguments that are not {@code null} replace values. */
    private LockSettings with(
            @Nullable HandOffSettings changedHandOff,
            @Nullable ReleaseMode changedMode,
            @Nullable Boolean changedLogKeys,
            @Nullable String changedApplication,
            @Nullable Boolean changedWarning,
            @Nullable Integer changedMaxWaiters,
            @Nullable SettingsByName changedNamed) {
        return new LockSettings(
                this.waitTime,
                this.onLost,
                this.watchdogTimeout,
                this.renewInterval,
                this.maxHold,
                this.commandTimeout,
                this.pollInterval,
                this.shutdownTimeout,
                changedHandOff != null ? changedHandOff : this.handOff,
                changedMode != null ? changedMode : this.releaseMode,
                changedLogKeys != null ? changedLogKeys : this.logKeys,
                changedApplication != null ? changedApplication : this.application,
                changedWarning != null ? changedWarning : this.warnOnUnlockInTransaction,
                changedMaxWaiters != null ? changedMaxWaiters : this.maxWaiters,
                changedNamed != null ? changedNamed : this.named);
    }

    /**
     * Returns the default of the command timeout. All locks share a connection, so the shortest watchdog timeout
     * determines it.
     */
    public static Duration defaultCommandTimeout(Duration watchdogTimeout, SettingsByName named) {
        Duration shortest = named.all().stream()
                .map(NamedSettings::watchdogTimeout)
                .filter(Objects::nonNull)
                .map(NamedValue::value)
                .reduce(watchdogTimeout, LockSettings::shorter);
        return shorter(shortest.dividedBy(6), Duration.ofSeconds(3));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Throws an exception if a failed renewal could not be repeated once before the lease ends. */
    private static void requireRetry(String property, Duration timeout, Duration interval, Duration commandTimeout) {
        Duration commands = commandTimeout.multipliedBy(2);
        if (interval.plus(commands).compareTo(timeout.multipliedBy(9).dividedBy(10)) <= 0) {
            return;
        }
        // An interval that is not set is a third of the timeout, so it grows with it. The suggested timeout is long
        // enough in both cases.
        Duration asItIs = interval.plus(commands).multipliedBy(10).dividedBy(9);
        Duration ifItGrows = commands.multipliedBy(30).dividedBy(17);
        Duration longer = asItIs.compareTo(ifItGrows) > 0 ? asItIs : ifItGrows;
        InvalidLockSettingException rejection = new InvalidLockSettingException(
                        property,
                        timeout,
                        "must leave room for a retry: the time between renewals (" + Printable.duration(interval)
                                + ") + 2 x distributed-lock.redis.command-timeout ("
                                + Printable.duration(commandTimeout)
                                + ") must not exceed nine tenths of it",
                        "Set the property to at least " + Printable.duration(Duration.ofSeconds(longer.toSeconds() + 1))
                                + ", or shorten the other times.")
                .with("redis.command-timeout", commandTimeout);
        throw property.equals(TIMEOUT) ? rejection.with("watchdog.renew-interval", interval) : rejection;
    }
}

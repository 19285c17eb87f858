package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.OnLost;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.registry.HandOffSettings;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.registry.ReleaseMode;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.AdviceMode;

/**
 * Properties of distributed locks. Times without a unit are in milliseconds.
 *
 * @param enabled Whether annotated methods run under their lock. When disabled, they run without it, and a warning at
 *     start-up lists them.
 * @param mode Whether a proxy of the bean acquires the lock or, with AspectJ, code that the load-time weaver adds to
 *     the method.
 * @param store Store of the locks.
 * @param keyPrefix Prefix of all keys and channels in Redis. Applications with the same prefix share their locks.
 * @param waitTime Time to wait for a lock, unless the annotation or the request specifies it. Zero: one attempt; -1: no
 *     limit.
 * @param maxWaiters Number of callers of this instance that may wait for one lock, unless the annotation or the request
 *     specifies it. Zero: each caller that would have to wait is refused. By default, there is no limit.
 * @param onLost Behavior when a lock is lost while its method runs, unless the annotation specifies it.
 * @param locks Settings of locks by their static names, which override the attributes of annotations. Names with dots
 *     or capital letters are written in brackets, such as [TicketOffice.sell].
 * @param release Whether a release waits for the reply of the store.
 * @param logKeys Whether log lines and messages of exceptions contain the keys of locks. When disabled, they contain a
 *     digest instead, such as order:#1f3a9c02.
 * @param warnOnUnlockInTransaction Whether the release of a lock in a running transaction is logged as a warning, once
 *     for each name. The next owner can then read data before the changes are committed.
 * @param warmUp Whether the instance hands a private lock over in the background when it has started, so that its first
 *     hand-overs from other instances are as fast as later ones. Requires Redis.
 * @param shutdownTimeout Time for methods that hold a lock to finish when the application stops. Locks that are still
 *     held after it expire by themselves.
 */
@ConfigurationProperties("distributed-lock")
public record DistributedLockProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("proxy") AdviceMode mode,
        @DefaultValue("redis") Store store,
        @DefaultValue("lock") String keyPrefix,
        @DefaultValue("10s") Duration waitTime,
        @Nullable Integer maxWaiters,
        @DefaultValue("throw") LossPolicy onLost,
        @DefaultValue Map<String, Lock> locks,
        @DefaultValue Watchdog watchdog,
        @DefaultValue Redis redis,
        @DefaultValue Handoff handoff,
        @DefaultValue("await") ReleaseMode release,
        @DefaultValue Aspect aspect,
        @DefaultValue Metrics metrics,
        @DefaultValue Observation observation,
        @DefaultValue("true") boolean logKeys,
        @DefaultValue("true") boolean warnOnUnlockInTransaction,
        @DefaultValue("false") boolean warmUp,
        @DefaultValue("10s") Duration shutdownTimeout) {

    /** Checks the values by the rules of the settings that are created from them. */
    public DistributedLockProperties {
        LockSettings times = settings(waitTime, onLost, locks, watchdog, redis, shutdownTimeout)
                .withHandOff(handoff.settings())
                .withReleaseMode(release)
                .withLogKeys(logKeys)
                .withMaxWaiters(maxWaiters);
        redisSettings(keyPrefix, times, redis);
    }

    /** Returns the settings of the registry. */
    LockSettings settings() {
        return settings(this.waitTime, this.onLost, this.locks, this.watchdog, this.redis, this.shutdownTimeout)
                .withHandOff(this.handoff.settings())
                .withReleaseMode(this.release)
                .withLogKeys(this.logKeys)
                .withWarnOnUnlockInTransaction(this.warnOnUnlockInTransaction)
                .withMaxWaiters(this.maxWaiters);
    }

    /** Returns the settings of the store in Redis. */
    RedisStoreSettings redisSettings() {
        return redisSettings(this.keyPrefix, settings(), this.redis);
    }

    private static LockSettings settings(
            Duration waitTime,
            LossPolicy onLost,
            Map<String, Lock> locks,
            Watchdog watchdog,
            Redis redis,
            Duration shutdownTimeout) {
        SettingsByName named = byName(locks);
        Duration commandTimeout = redis.commandTimeout();
        return LockSettings.of(
                        waitTime,
                        onLost.onLost(),
                        watchdog.timeout(),
                        watchdog.renewInterval(),
                        watchdog.maxHold(),
                        commandTimeout != null
                                ? commandTimeout
                                : LockSettings.defaultCommandTimeout(watchdog.timeout(), named),
                        redis.pollInterval(),
                        shutdownTimeout)
                .withNamed(named);
    }

    /** Returns the settings that annotated methods need, before this is bound and from the environment only. */
    static LockSettings settings(Binder binder) {
        return settings(
                        time(binder, "wait-time").orElse(Duration.ofSeconds(10)),
                        binder.bind("distributed-lock.on-lost", LossPolicy.class)
                                .orElse(LossPolicy.THROW),
                        binder.bind("distributed-lock.locks", Bindable.mapOf(String.class, Lock.class))
                                .orElse(Map.of()),
                        new Watchdog(
                                time(binder, "watchdog.timeout").orElse(Duration.ofSeconds(30)),
                                time(binder, "watchdog.renew-interval").orElse(null),
                                null),
                        new Redis(
                                time(binder, "redis.command-timeout").orElse(null),
                                true,
                                null,
                                true,
                                0,
                                MessageMode.AUTO),
                        Duration.ofSeconds(10))
                .withLogKeys(
                        binder.bind("distributed-lock.log-keys", Boolean.class).orElse(true));
    }

    private static BindResult<Duration> time(Binder binder, String property) {
        return binder.bind("distributed-lock." + property, Duration.class);
    }

    private static SettingsByName byName(Map<String, Lock> locks) {
        return new SettingsByName(locks.entrySet().stream()
                .map(lock -> lock.getValue().named(lock.getKey()))
                .toList());
    }

    private static RedisStoreSettings redisSettings(String keyPrefix, LockSettings times, Redis redis) {
        return new RedisStoreSettings(
                keyPrefix,
                times.commandTimeout(),
                redis.privateConnection(),
                times.pollInterval(),
                times.logKeys(),
                redis.publishInstance(),
                redis.confirmReplicas(),
                redis.messages());
    }

    /** Stores of locks. */
    public enum Store {
        /** Redis: all instances share the locks. */
        REDIS,
        /** The memory of this application context: for tests, and for applications that run as one instance. */
        MEMORY
    }

    /**
     * Behaviors when a lock is lost while its method runs: the values of {@link OnLost} except {@code DEFAULT}, which
     * selects this property.
     */
    public enum LossPolicy {
        /** The call throws LockLostException after the method has returned. */
        THROW(OnLost.THROW),
        /** As {@link #THROW}, and the thread of the method is interrupted at the moment of the loss. */
        INTERRUPT(OnLost.INTERRUPT),
        /** The call returns the result of the method, as without a loss. */
        IGNORE(OnLost.IGNORE);

        private final OnLost onLost;

        LossPolicy(OnLost onLost) {
            this.onLost = onLost;
        }

        OnLost onLost() {
            return this.onLost;
        }
    }

    /**
     * Settings of the locks of one name. What is not set is that of the annotation or the request, or else that of all
     * locks.
     *
     * @param waitTime Time to wait for the lock. Zero: one attempt; -1: no limit.
     * @param lease Fixed lease, which is not renewed; -1: a renewed lease.
     * @param maxHold Longest time for which a lease is renewed; -1: no limit.
     * @param minHold Time for which the lock is kept at least, even if it is released earlier.
     * @param onLost Behavior when the lock is lost while its method runs.
     * @param watchdogTimeout Lease if it is renewed, every third of this time. At least 100 ms.
     * @param maxWaiters Number of callers of this instance that may wait for the lock. Zero: each caller that would
     *     have to wait is refused.
     */
    public record Lock(
            @Nullable Duration waitTime,
            @Nullable Duration lease,
            @Nullable Duration maxHold,
            @Nullable Duration minHold,
            @Nullable LossPolicy onLost,
            @Nullable Duration watchdogTimeout,
            @Nullable Integer maxWaiters) {

        /** The names of the values that are times. */
        static final List<String> TIMES = List.of("wait-time", "lease", "max-hold", "min-hold", "watchdog-timeout");

        NamedSettings named(String name) {
            return new NamedSettings(
                    name,
                    value(name, "wait-time", this.waitTime),
                    value(name, "lease", this.lease),
                    value(name, "max-hold", this.maxHold),
                    value(name, "min-hold", this.minHold),
                    value(name, "on-lost", this.onLost != null ? this.onLost.onLost() : null),
                    value(name, "watchdog-timeout", this.watchdogTimeout),
                    value(name, "max-waiters", this.maxWaiters));
        }

        private static <T> @Nullable NamedValue<T> value(String name, String setting, @Nullable T value) {
            return value != null ? new NamedValue<>(NamedSettings.property(name, setting), value) : null;
        }
    }

    /**
     * Renewal of leases.
     *
     * @param timeout Lease of renewed locks, and so the longest time for which a crash can block others. At least 100
     *     ms.
     * @param renewInterval Time between two renewals, which must leave time for a retry. By default, a third of the
     *     timeout.
     * @param maxHold Longest time for which a lease is renewed. After it, the lock is lost when its lease expires. By
     *     default, or with -1, there is no limit.
     */
    public record Watchdog(
            @DefaultValue("30s") Duration timeout,
            @Nullable Duration renewInterval,
            @Nullable Duration maxHold) {}

    /**
     * Use of Redis.
     *
     * @param commandTimeout Time after which a command for a lock fails. By default, the smaller of 3 seconds and a
     *     sixth of the shortest watchdog timeout.
     * @param privateConnection Whether locks use their own connection, so that slow commands of the application cannot
     *     delay renewals. Requires Lettuce.
     * @param pollInterval Longest time between two attempts of a waiter that is not notified, for the first eight
     *     instances in line, and up to 32 times as long for those behind. By default, the smaller of 1 second and a
     *     sixth of the watchdog timeout.
     * @param publishInstance Whether this instance publishes its application, host and process id in Redis, and reads
     *     those of other instances, to show which one holds a lock. When disabled, only their ids are shown.
     * @param confirmReplicas Number of replicas that must acknowledge a grant or a renewal before it counts, at most
     *     16. Zero: none. Requires Lettuce and a private connection.
     * @param messages How waiters of other instances are notified of their grants.
     */
    public record Redis(
            @Nullable Duration commandTimeout,
            @DefaultValue("true") boolean privateConnection,
            @Nullable Duration pollInterval,
            @DefaultValue("true") boolean publishInstance,
            @DefaultValue("0") int confirmReplicas,
            @DefaultValue("auto") MessageMode messages) {}

    /**
     * Hand-over of a lock or a permit from one thread to the next inside this JVM, without Redis. Larger values make
     * threads of other JVMs wait longer.
     *
     * @param maxTime Time after a grant by Redis in which the lock may be handed over, at most 10 seconds. Zero: never.
     * @param maxCount Number of consecutive times that the lock may be handed over, at most 10000. Zero: never.
     */
    public record Handoff(
            @DefaultValue("10ms") Duration maxTime,
            @DefaultValue("64") int maxCount) {

        HandOffSettings settings() {
            return new HandOffSettings(this.maxTime, this.maxCount);
        }
    }

    /**
     * Interception of annotated methods.
     *
     * @param order Order of the lock among the advice of a method, such as transactions and caches; smaller values are
     *     outside of larger ones. In AspectJ mode, the lock is inside all proxies.
     */
    public record Aspect(
            @DefaultValue("" + DistributedLockBeanPostProcessor.DEFAULT_ORDER)
            int order) {}

    /**
     * Meters.
     *
     * @param enabled Whether to record meters of locks if there is a MeterRegistry.
     */
    public record Metrics(@DefaultValue("true") boolean enabled) {}

    /**
     * Observations.
     *
     * @param enabled Whether acquisitions are observations of the ObservationRegistry, for traces. By default, true if
     *     there is a handler that does not only record meters.
     */
    public record Observation(@Nullable Boolean enabled) {}
}

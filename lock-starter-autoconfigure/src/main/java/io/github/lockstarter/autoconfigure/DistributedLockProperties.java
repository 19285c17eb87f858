package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.OnLost;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.lease.HandOff;
import io.github.lockstarter.lease.LockSettings;
import io.github.lockstarter.lease.ReleaseMode;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.AdviceMode;

/**
 * Properties of distributed locks. A bare number as a time is in milliseconds.
 *
 * @param enabled Whether annotated methods run under their lock. When disabled, they run without one, and a warning at
 *     start-up lists them.
 * @param mode What takes the lock: a proxy of the bean or, with AspectJ, the method's own code, into which the load-time
 *     weaver has put it.
 * @param store Where locks are kept.
 * @param keyPrefix Prefix of everything that is stored in Redis. Applications that share a prefix share their locks.
 * @param waitTime Time to wait for a lock, unless the annotation or the request says otherwise. Zero tries once, -1 waits
 *     for ever.
 * @param onLost What happens when a lock is lost while its method runs, unless the annotation says otherwise.
 * @param release When an unlock returns.
 * @param logKeys Whether log lines and messages of exceptions contain the keys of locks. When disabled, a digest stands
 *     for the key: order:#1f3a9c02.
 * @param shutdownTimeout Time that methods which hold a lock get to finish when the application stops. Locks that are
 *     still held after it run out by themselves.
 */
@ConfigurationProperties("distributed-lock")
public record DistributedLockProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("proxy") AdviceMode mode,
        @DefaultValue("redis") Store store,
        @DefaultValue("lock") String keyPrefix,
        @DefaultValue("10s") Duration waitTime,
        @DefaultValue("throw") LossPolicy onLost,
        @DefaultValue Watchdog watchdog,
        @DefaultValue Redis redis,
        @DefaultValue Handoff handoff,
        @DefaultValue("await") ReleaseMode release,
        @DefaultValue Aspect aspect,
        @DefaultValue Metrics metrics,
        @DefaultValue Observation observation,
        @DefaultValue("true") boolean logKeys,
        @DefaultValue("10s") Duration shutdownTimeout) {

    /** Refuses what cannot work: the rules are those of the settings that are made of it. */
    public DistributedLockProperties {
        LockSettings times = settings(waitTime, onLost, watchdog, redis, shutdownTimeout)
                .withHandOff(handoff.settings())
                .withReleaseMode(release)
                .withLogKeys(logKeys);
        redisSettings(keyPrefix, times, redis);
    }

    /** The times that the registry works with. */
    LockSettings settings() {
        return settings(this.waitTime, this.onLost, this.watchdog, this.redis, this.shutdownTimeout)
                .withHandOff(this.handoff.settings())
                .withReleaseMode(this.release)
                .withLogKeys(this.logKeys);
    }

    /** How the store uses Redis. */
    RedisStoreSettings redisSettings() {
        return redisSettings(this.keyPrefix, settings(), this.redis);
    }

    private static LockSettings settings(
            Duration waitTime, LossPolicy onLost, Watchdog watchdog, Redis redis, Duration shutdownTimeout) {
        return LockSettings.of(
                waitTime,
                onLost.onLost(),
                watchdog.timeout(),
                watchdog.renewInterval(),
                watchdog.maxHold(),
                redis.commandTimeout(),
                redis.pollInterval(),
                shutdownTimeout);
    }

    private static RedisStoreSettings redisSettings(String keyPrefix, LockSettings times, Redis redis) {
        return new RedisStoreSettings(
                keyPrefix, times.commandTimeout(), redis.privateConnection(), times.pollInterval(), times.logKeys());
    }

    /** Where locks are kept. */
    public enum Store {
        /** In Redis: the lock is one for all instances. */
        REDIS,
        /** In the memory of this application context: for tests, and for applications that run as one instance. */
        MEMORY
    }

    /**
     * What happens when a lock is lost while its method runs. The values of {@link OnLost}, but for its default, which is
     * this property.
     */
    public enum LossPolicy {
        /** The call fails after the method has returned. */
        THROW(OnLost.THROW),
        /** Also interrupts the thread of the method. */
        INTERRUPT(OnLost.INTERRUPT),
        /** The result of the method stands. */
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
     * Renewal of leases.
     *
     * @param timeout Lease of renewed locks, which is how long a crash can block others. At least 100 ms.
     * @param renewInterval Time from one renewal to the next; must leave room for a retry. By default, a third of the
     *     timeout.
     * @param maxHold Cap of renewed leases. When it is reached, renewal stops, and the lock is lost as soon as its lease
     *     runs out. By default, or with -1, there is none.
     */
    public record Watchdog(
            @DefaultValue("30s") Duration timeout,
            @Nullable Duration renewInterval,
            @Nullable Duration maxHold) {}

    /**
     * Use of Redis.
     *
     * @param commandTimeout Time that a command for a lock may take. By default, the smaller of 3 seconds and a sixth of
     *     the watchdog timeout.
     * @param privateConnection Whether to use a connection apart from that of the application, so that slow commands
     *     there cannot hold up a renewal. Needs Lettuce.
     * @param pollInterval How often a waiter looks even if nothing wakes it. By default, the smaller of 1 second and a
     *     sixth of the watchdog timeout.
     */
    public record Redis(
            @Nullable Duration commandTimeout,
            @DefaultValue("true") boolean privateConnection,
            @Nullable Duration pollInterval) {}

    /**
     * Handing over a lock from one thread to the next inside of this JVM, without Redis. Longer batches make threads of
     * other JVMs wait longer.
     *
     * @param maxTime Time after a grant by Redis in which the lock may be handed over. Zero: never.
     * @param maxCount How often in a row it may be handed over, at most 10000. Zero: never.
     */
    public record Handoff(
            @DefaultValue("10ms") Duration maxTime,
            @DefaultValue("64") int maxCount) {

        HandOff settings() {
            return new HandOff(this.maxTime, this.maxCount);
        }
    }

    /**
     * Interception of annotated methods.
     *
     * @param order Order of the lock among the advice of a method, such as transactions and caches. Smaller is farther
     *     outside. In the mode of AspectJ the lock is inside of all proxies.
     */
    public record Aspect(
            @DefaultValue("" + DistributedLockBeanPostProcessor.DEFAULT_ORDER)
            int order) {}

    /**
     * Meters.
     *
     * @param enabled Whether to record meters of locks when there is a MeterRegistry.
     */
    public record Metrics(@DefaultValue("true") boolean enabled) {}

    /**
     * Observations.
     *
     * @param enabled Whether acquisitions are observations of the ObservationRegistry, for traces. By default, if a handler
     *     does more with observations than meters.
     */
    public record Observation(@Nullable Boolean enabled) {}
}

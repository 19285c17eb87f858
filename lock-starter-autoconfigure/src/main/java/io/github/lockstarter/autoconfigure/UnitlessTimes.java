package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.autoconfigure.DistributedLockProperties.Lock;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.text.LockLog;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.env.Environment;

/** Warns at start-up about times without a unit that may have been meant in seconds. */
final class UnitlessTimes implements SmartInitializingSingleton {

    /** The names of all properties of all locks whose values are times. */
    static final List<String> TIMES = List.of(
            "distributed-lock.wait-time",
            "distributed-lock.watchdog.timeout",
            "distributed-lock.watchdog.renew-interval",
            "distributed-lock.watchdog.max-hold",
            "distributed-lock.redis.command-timeout",
            "distributed-lock.redis.poll-interval",
            "distributed-lock.handoff.max-time",
            "distributed-lock.shutdown-timeout");

    private static final LockLog logger = LockLog.of(UnitlessTimes.class);

    private final Environment environment;

    private final Set<String> lockNames;

    /**
     * Creates the check.
     *
     * @param lockNames names that have separate properties
     */
    UnitlessTimes(Environment environment, Set<String> lockNames) {
        this.environment = environment;
        this.lockNames = lockNames;
    }

    @Override
    public void afterSingletonsInstantiated() {
        TIMES.forEach(this::check);
        for (String name : this.lockNames) {
            Lock.TIMES.forEach(time -> check("distributed-lock." + NamedSettings.property(name, time)));
        }
    }

    private void check(String time) {
        TypedProperty typed = TypedProperty.find(this.environment, time);
        if (typed != null && typed.mayMeanSeconds()) {
            String number = typed.value();
            logger.warn(time + '=' + number + " means " + number + " ms; write " + number + "s for seconds, or "
                    + number + "ms." + (typed.origin() != null ? " Origin: " + typed.origin() : ""));
        }
    }
}

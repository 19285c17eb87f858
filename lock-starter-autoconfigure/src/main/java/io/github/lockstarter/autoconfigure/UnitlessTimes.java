package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.text.LockLog;
import java.util.List;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.env.Environment;

/** Warns at start-up about times without a unit that may have been meant in seconds. */
final class UnitlessTimes implements SmartInitializingSingleton {

    /** The names of all properties whose values are times. */
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

    UnitlessTimes(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String time : TIMES) {
            TypedProperty typed = TypedProperty.find(this.environment, time);
            if (typed != null && typed.mayMeanSeconds()) {
                String number = typed.value();
                logger.warn(time + '=' + number + " means " + number + " ms; write " + number + "s for seconds, or "
                        + number + "ms." + (typed.origin() != null ? " Origin: " + typed.origin() : ""));
            }
        }
    }
}

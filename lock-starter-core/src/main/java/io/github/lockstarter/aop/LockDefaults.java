package io.github.lockstarter.aop;

import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.named.RequestDefaults;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What applies to calls whose annotation does not specify a value. {@link DistributedLockBeanPostProcessor} sets it before the
 * first call.
 */
final class LockDefaults implements RequestDefaults {

    /** Supplies the application's handler of locks that are not granted; null if there is none. */
    final Supplier<@Nullable LockFailureHandler> failureHandler;

    Duration waitTime = Duration.ofSeconds(10);

    Duration commandTimeout = Duration.ofSeconds(3);

    OnLost onLost = OnLost.THROW;

    LoggedNames names = LoggedNames.WITH_KEYS;

    LockDefaults(Supplier<@Nullable LockFailureHandler> failureHandler) {
        this.failureHandler = failureHandler;
    }

    @Override
    public Duration waitTime() {
        return this.waitTime;
    }

    @Override
    public Duration commandTimeout() {
        return this.commandTimeout;
    }

    @Override
    public OnLost onLost() {
        return this.onLost;
    }

    @Override
    public LoggedNames names() {
        return this.names;
    }
}

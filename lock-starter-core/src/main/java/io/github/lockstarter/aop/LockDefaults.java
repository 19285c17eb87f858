package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.named.RequestDefaults;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The configuration of one application that applies to calls whose annotation does not specify a value. */
final class LockDefaults implements RequestDefaults {

    private final Supplier<@Nullable LockFailureHandler> failureHandler;

    private Duration waitTime = Duration.ofSeconds(10);

    private Duration commandTimeout = Duration.ofSeconds(3);

    private OnLost onLost = OnLost.THROW;

    private LoggedNames names = LoggedNames.WITH_KEYS;

    /**
     * Creates the defaults.
     *
     * @param failureHandler called when a lock is not granted; supplies null if the application has no handler
     */
    public LockDefaults(Supplier<@Nullable LockFailureHandler> failureHandler) {
        this.failureHandler = failureHandler;
    }

    /** Returns the application's handler of locks that are not granted; null if there is none. */
    @Nullable
    LockFailureHandler failureHandler() {
        return this.failureHandler.get();
    }

    /** Sets how long calls wait for their locks. */
    public void setWaitTime(Duration waitTime) {
        this.waitTime = waitTime;
    }

    /** Returns how long calls wait for their locks; 10 s by default. */
    @Override
    public Duration waitTime() {
        return this.waitTime;
    }

    /** Sets how long the store may take to answer a command. */
    public void setCommandTimeout(Duration commandTimeout) {
        this.commandTimeout = commandTimeout;
    }

    /** Returns how long the store may take to answer a command; 3 s by default. */
    @Override
    public Duration commandTimeout() {
        return this.commandTimeout;
    }

    /** Sets whether messages contain the keys of locks (the default) or digests of them. */
    public void setLogKeys(boolean logKeys) {
        this.names = LoggedNames.withKeys(logKeys);
    }

    @Override
    public LoggedNames names() {
        return this.names;
    }

    /**
     * Sets the reaction to the loss of a lease.
     *
     * @throws InvalidLockSettingException if it is {@link OnLost#DEFAULT}
     */
    public void setOnLost(OnLost onLost) {
        if (onLost == OnLost.DEFAULT) {
            throw new InvalidLockSettingException(
                    "on-lost",
                    onLost,
                    "must be throw, interrupt or ignore",
                    "Set one of them, or remove the setting; the default is throw.");
        }
        this.onLost = onLost;
    }

    @Override
    public OnLost onLost() {
        return this.onLost;
    }

    /** Returns the reaction to the loss of a lease, with {@link OnLost#DEFAULT} resolved. */
    OnLost onLost(OnLost specified) {
        return specified == OnLost.DEFAULT ? this.onLost : specified;
    }
}

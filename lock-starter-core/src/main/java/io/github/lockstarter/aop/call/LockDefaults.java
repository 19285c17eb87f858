package io.github.lockstarter.aop.call;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;

/** What is configured for locks that say nothing themselves. */
public final class LockDefaults {

    private Duration waitTime = Duration.ofSeconds(10);

    private Duration commandTimeout = Duration.ofSeconds(3);

    private OnLost onLost = OnLost.THROW;

    private LoggedNames names = LoggedNames.WITH_KEYS;

    public void setWaitTime(Duration waitTime) {
        this.waitTime = waitTime;
    }

    public Duration waitTime() {
        return this.waitTime;
    }

    public void setCommandTimeout(Duration commandTimeout) {
        this.commandTimeout = commandTimeout;
    }

    /** How long the store may take to answer. */
    public Duration commandTimeout() {
        return this.commandTimeout;
    }

    public void setLogKeys(boolean logKeys) {
        this.names = LoggedNames.withKeys(logKeys);
    }

    /** How messages name locks. */
    public LoggedNames names() {
        return this.names;
    }

    public void setOnLost(OnLost onLost) {
        if (onLost == OnLost.DEFAULT) {
            throw new InvalidLockSettingException(
                    "on-lost",
                    onLost,
                    "must be throw, interrupt or ignore",
                    "Set one of them, or leave it out; the default is throw.");
        }
        this.onLost = onLost;
    }

    /** What that comes to. */
    public OnLost onLost(OnLost said) {
        return said == OnLost.DEFAULT ? this.onLost : said;
    }
}

package io.github.lockstarter.named;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;

/**
 * The configuration that applies to requests that do not set the values, for annotated methods and for the registry.
 */
public interface RequestDefaults {

    /** Returns how long requests wait; {@link LockRequest#FOREVER} for no limit. */
    Duration waitTime();

    /** Returns how long that request waits; {@link LockRequest#FOREVER} for no limit. */
    default Duration waitTimeOf(LockRequest request) {
        Duration waitTime = request.waitTime();
        return waitTime != null ? waitTime : waitTime();
    }

    /** Returns the reaction to the loss of a lease; not {@code DEFAULT}. */
    OnLost onLost();

    /** Returns how long the store may take to answer a command. */
    Duration commandTimeout();

    /** Returns the settings of locks by their static names, which take precedence. */
    SettingsByName named();

    /** Returns how messages name locks. */
    LoggedNames names();

    /** Returns whether the loss of the lease is reported to the owner and prevents the commit of transactions. */
    default boolean isGuarded(LockRequest request) {
        return (request.onLost() == OnLost.DEFAULT ? onLost() : request.onLost()) != OnLost.IGNORE;
    }
}

package io.github.lockstarter.store.redis;

import io.github.lockstarter.InvalidLockSettingException;
import java.time.Duration;

/**
 * Settings of {@link RedisLockStore}.
 *
 * @param keyPrefix prefix of all keys and channels; not blank, without braces
 * @param commandTimeout how long a command on a private connection, and opening the connection, may take
 * @param privateConnection whether to derive a private connection from the application's connection factory
 * @param pollInterval longest time between two attempts of a waiter, at least 1 ms. A grant from the waiting line must
 *     be claimed within twice this time: with less, one long pause would lose both the grant and the place in the line
 * @param logKeys whether messages of exceptions contain the keys of locks; if false, they contain digests instead
 */
public record RedisStoreSettings(
        String keyPrefix, Duration commandTimeout, boolean privateConnection, Duration pollInterval, boolean logKeys) {

    /** Creates settings and checks the prefix and the poll interval. */
    public RedisStoreSettings {
        if (keyPrefix.isBlank() || keyPrefix.indexOf('{') >= 0 || keyPrefix.indexOf('}') >= 0) {
            throw new InvalidLockSettingException(
                    "key-prefix",
                    keyPrefix,
                    "must not be blank nor contain braces, which determine the slot in a cluster",
                    "Use letters and digits, or remove the property; the default is lock.");
        }
        if (pollInterval.toMillis() < 1) {
            throw new InvalidLockSettingException(
                    "redis.poll-interval", pollInterval, "must be at least 1ms", "One second is usual.");
        }
    }

    /** Creates settings whose messages contain keys. */
    public RedisStoreSettings(
            String keyPrefix, Duration commandTimeout, boolean privateConnection, Duration pollInterval) {
        this(keyPrefix, commandTimeout, privateConnection, pollInterval, true);
    }

    /** Creates settings with a poll interval of one second, whose messages contain keys. */
    public RedisStoreSettings(String keyPrefix, Duration commandTimeout, boolean privateConnection) {
        this(keyPrefix, commandTimeout, privateConnection, Duration.ofSeconds(1));
    }
}

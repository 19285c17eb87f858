package io.github.lockstarter.store.redis;

import io.github.lockstarter.InvalidLockSettingException;
import java.time.Duration;

/**
 * How the store uses Redis.
 *
 * @param keyPrefix what stands before each key and channel; not blank, without braces
 * @param commandTimeout time a command may take on a private connection, and opening one
 * @param privateConnection whether to derive a connection of the store's own from the application's connection factory
 * @param pollInterval how often a waiter looks, at least; a lock that is handed to it waits twice as long for its claim,
 *     for with less a single pause would lose the grant and the line with it
 * @param logKeys whether messages of exceptions contain the keys of locks; otherwise digests stand for them
 */
public record RedisStoreSettings(
        String keyPrefix, Duration commandTimeout, boolean privateConnection, Duration pollInterval, boolean logKeys) {

    public RedisStoreSettings {
        if (keyPrefix.isBlank() || keyPrefix.indexOf('{') >= 0 || keyPrefix.indexOf('}') >= 0) {
            throw new InvalidLockSettingException(
                    "key-prefix",
                    keyPrefix,
                    "must not be blank nor contain braces, which decide the slot in a cluster",
                    "Use letters, or leave it out; the default is lock.");
        }
        if (pollInterval.toMillis() < 1) {
            throw new InvalidLockSettingException(
                    "redis.poll-interval", pollInterval, "must be at least 1ms", "One second is usual.");
        }
    }

    /** With keys in messages. */
    public RedisStoreSettings(
            String keyPrefix, Duration commandTimeout, boolean privateConnection, Duration pollInterval) {
        this(keyPrefix, commandTimeout, privateConnection, pollInterval, true);
    }

    /** With a poll interval of one second, and keys in messages. */
    public RedisStoreSettings(String keyPrefix, Duration commandTimeout, boolean privateConnection) {
        this(keyPrefix, commandTimeout, privateConnection, Duration.ofSeconds(1));
    }
}

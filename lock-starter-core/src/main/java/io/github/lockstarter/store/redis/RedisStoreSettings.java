package io.github.lockstarter.store.redis;

import java.time.Duration;

/**
 * How the store uses Redis.
 *
 * @param keyPrefix what stands before each key and channel; not blank, without braces
 * @param commandTimeout time a command may take on a private connection, and opening one
 * @param privateConnection whether to derive a connection of the store's own from the application's connection factory
 */
public record RedisStoreSettings(String keyPrefix, Duration commandTimeout, boolean privateConnection) {

    public RedisStoreSettings {
        if (keyPrefix.isBlank() || keyPrefix.indexOf('{') >= 0 || keyPrefix.indexOf('}') >= 0) {
            throw new IllegalArgumentException("distributed-lock.key-prefix must not be blank nor contain braces, which"
                    + " decide the slot in a cluster, but is '" + keyPrefix + "'.");
        }
    }
}

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
 * @param publishInstance whether the store writes the description of its instance, and reads those of others
 * @param confirmReplicas how many replicas must acknowledge a grant or a renewal before it is believed; 0 to 16
 * @param messages how waiters of other instances are notified of their grants
 */
public record RedisStoreSettings(
        String keyPrefix,
        Duration commandTimeout,
        boolean privateConnection,
        Duration pollInterval,
        boolean logKeys,
        boolean publishInstance,
        int confirmReplicas,
        MessageMode messages) {

    /** How the waiter of another instance is notified that a release has granted the lock to it. */
    public enum MessageMode {
        /** The best of the other modes that works at the server, as probes show. */
        AUTO,
        /** The script of the release publishes the message, which is fastest. */
        SCRIPT,
        /** The client publishes the message after the reply, which takes one round trip more. */
        CLIENT,
        /** Nothing is published: waiters find the grant by their next poll. */
        POLLING
    }

    private static final int MAX_REPLICAS = 16;

    /** Creates settings and checks the prefix, the poll interval and the number of replicas. */
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
                    "redis.poll-interval", pollInterval, "must be at least 1ms", "Set a second, which is usual.");
        }
        if (confirmReplicas < 0 || confirmReplicas > MAX_REPLICAS) {
            throw new InvalidLockSettingException(
                    "redis.confirm-replicas",
                    confirmReplicas,
                    "must be between 0 and " + MAX_REPLICAS,
                    "Set the number of replicas that each master has, or remove the property.");
        }
        if (confirmReplicas > 0 && !privateConnection) {
            throw new InvalidLockSettingException(
                            "redis.confirm-replicas",
                            confirmReplicas,
                            "must be 0 without a private connection",
                            "Set distributed-lock.redis.private-connection=true, or remove the property.")
                    .with("redis.private-connection", privateConnection);
        }
    }

    /**
     * Creates settings with the defaults of the others: messages contain keys, the store publishes its instance, no
     * replica confirms, and probes decide how waiters are notified.
     */
    public RedisStoreSettings(
            String keyPrefix, Duration commandTimeout, boolean privateConnection, Duration pollInterval) {
        this(keyPrefix, commandTimeout, privateConnection, pollInterval, true, true, 0, MessageMode.AUTO);
    }

    /** Returns the milliseconds in which a waiter must claim a grant from the line: twice the poll interval. */
    long claimMillis() {
        return 2 * this.pollInterval.toMillis();
    }
}

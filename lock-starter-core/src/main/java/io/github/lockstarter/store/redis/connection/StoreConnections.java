package io.github.lockstarter.store.redis.connection;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.store.redis.script.LockKeys;
import java.time.Duration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/** Chooses the connection of a store: a private one if it is wanted and can be derived, or else the application's. */
public final class StoreConnections {

    private StoreConnections() {}

    /**
     * Creates a connection, which is not open yet.
     *
     * @param factory the application's connection factory
     * @param timeout how long connecting and a command on a private connection may take
     * @param wantsPrivate whether to derive a private connection
     * @param optional which commands are used in addition to those of every store
     * @throws InvalidLockSettingException if replicas must confirm grants, but no private connection can be derived
     */
    public static StoreConnection over(
            RedisConnectionFactory factory,
            LockKeys keys,
            Duration timeout,
            boolean wantsPrivate,
            OptionalCommands optional) {
        boolean lettuce = ClassUtils.isPresent("io.lettuce.core.RedisClient", StoreConnections.class.getClassLoader());
        DerivedFactory recipe = wantsPrivate && lettuce ? DerivedFactory.of(factory, timeout) : null;
        if (recipe == null && optional.usesWait()) {
            throw new InvalidLockSettingException(
                    "redis.confirm-replicas",
                    optional.confirmReplicas(),
                    "must be 0 if no private connection can be derived from the application's "
                            + ClassUtils.getUserClass(factory).getSimpleName(),
                    "Use Lettuce with a standalone server, Sentinel or a cluster, or remove the property.");
        }
        return recipe != null
                ? new PrivateConnection(recipe, keys, timeout, optional)
                : new SharedConnection(factory, keys, timeout, !wantsPrivate, lettuce);
    }
}

package io.github.lockstarter;

import java.time.Duration;

/**
 * Published when a lease was granted.
 *
 * @param name static name of the lock
 * @param key key under that name; may be empty
 * @param mode what the grant allows beside it
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param waited time from the request to the grant
 */
public record LockAcquiredEvent(
        String name, String key, LockMode mode, long fencingToken, String acquisitionId, Duration waited)
        implements LockEvent {}

package io.github.lockstarter;

import java.time.Duration;

/**
 * A lease was granted.
 *
 * @param name static name of the lock
 * @param key what is locked under that name
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param waited from the call to the grant
 */
public record LockAcquiredEvent(String name, String key, long fencingToken, String acquisitionId, Duration waited)
        implements LockEvent {}

package io.github.lockstarter;

import java.time.Duration;

/**
 * A renewal succeeded.
 *
 * @param name static name of the lock
 * @param key what is locked under that name
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param took from the sending of the command to its answer
 */
public record LockRenewedEvent(String name, String key, long fencingToken, String acquisitionId, Duration took)
        implements LockEvent {}

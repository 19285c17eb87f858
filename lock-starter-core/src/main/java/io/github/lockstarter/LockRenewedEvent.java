package io.github.lockstarter;

import java.time.Duration;

/**
 * Published when a renewal succeeded.
 *
 * @param name static name of the lock
 * @param key key under that name; may be empty
 * @param mode what the grant allows beside it
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param took time from sending the command to its reply
 */
public record LockRenewedEvent(
        String name, String key, LockMode mode, long fencingToken, String acquisitionId, Duration took)
        implements LockEvent {}

package io.github.lockstarter;

import java.time.Duration;

/**
 * Published when a renewal succeeded after the lease was at risk.
 *
 * @param name static name of the lock
 * @param key key under that name; may be empty
 * @param mode what the grant allows beside it
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param remaining time until the lease expires unless it is renewed again
 */
public record LockRecoveredEvent(
        String name, String key, LockMode mode, long fencingToken, String acquisitionId, Duration remaining)
        implements LockEvent {}

package io.github.lockstarter;

import java.time.Duration;

/**
 * A renewal succeeded after the lease was at risk.
 *
 * @param name static name of the lock
 * @param key what is locked under that name
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param remaining time until the lease ends unless it is renewed again
 */
public record LockRecoveredEvent(String name, String key, long fencingToken, String acquisitionId, Duration remaining)
        implements LockEvent {}

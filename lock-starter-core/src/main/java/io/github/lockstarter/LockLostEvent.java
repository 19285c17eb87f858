package io.github.lockstarter;

import java.time.Duration;

/**
 * Published when a lease was lost before its release. Also published as an application event.
 *
 * @param name static name of the lock
 * @param key key under that name; may be empty
 * @param mode what the grant allows beside it
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param reason why the lease was lost
 * @param heldFor time from the grant to the loss
 */
public record LockLostEvent(
        String name,
        String key,
        LockMode mode,
        long fencingToken,
        String acquisitionId,
        LossReason reason,
        Duration heldFor)
        implements LockEvent {}

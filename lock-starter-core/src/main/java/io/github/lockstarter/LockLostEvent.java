package io.github.lockstarter;

import java.time.Duration;

/**
 * A lease was lost while its owner relied on it. Also an application event.
 *
 * @param name static name of the lock
 * @param key what is locked under that name
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param reason why
 * @param heldFor from the grant to the loss
 */
public record LockLostEvent(
        String name, String key, long fencingToken, String acquisitionId, LossReason reason, Duration heldFor)
        implements LockEvent {}

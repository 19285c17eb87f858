package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A renewal failed.
 *
 * @param name static name of the lock
 * @param key what is locked under that name
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param took from the sending of the command to its failure
 * @param lossReason the store's answer that the lock has another owner or none; null: there was no such answer
 * @param cause why there was no usable answer; null: there was one
 */
public record LockRenewalFailedEvent(
        String name,
        String key,
        long fencingToken,
        String acquisitionId,
        Duration took,
        @Nullable LossReason lossReason,
        @Nullable Throwable cause)
        implements LockEvent {}

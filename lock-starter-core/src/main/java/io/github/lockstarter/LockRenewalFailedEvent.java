package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Published when a renewal failed.
 *
 * @param name static name of the lock
 * @param key key under that name; may be empty
 * @param mode what the grant allows beside it
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param took time from sending the command to its failure
 * @param lossReason set if the store replied that the lock has another owner or none; otherwise null
 * @param cause why there was no usable reply; null if there was one
 */
public record LockRenewalFailedEvent(
        String name,
        String key,
        LockMode mode,
        long fencingToken,
        String acquisitionId,
        Duration took,
        @Nullable LossReason lossReason,
        @Nullable Throwable cause)
        implements LockEvent {}

package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Published when a renewal failed.
 *
 * @param grant the grant that the event is about
 * @param took time from sending the command to its failure
 * @param lossReason set if the store replied that the lock has another owner or none; otherwise null
 * @param cause why there was no usable reply; null if there was one
 */
public record LockRenewalFailedEvent(
        LockEvent.Grant grant,
        Duration took,
        @Nullable LossReason lossReason,
        @Nullable Throwable cause) implements LockEvent.OfGrant {}

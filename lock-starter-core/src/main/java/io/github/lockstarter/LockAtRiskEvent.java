package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Published when a renewal failed or is late: the lease is still held, but not confirmed. Also published as an
 * application event.
 *
 * @param name static name of the lock
 * @param key key under that name; may be empty
 * @param mode what the grant allows beside it
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param remaining time until the lease is lost unless a renewal succeeds
 * @param cause why the renewal failed; null: there is no reply yet
 */
public record LockAtRiskEvent(
        String name,
        String key,
        LockMode mode,
        long fencingToken,
        String acquisitionId,
        Duration remaining,
        @Nullable Throwable cause)
        implements LockEvent {}

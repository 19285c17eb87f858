package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A renewal failed or is late: the lease is still held, but can no longer be confirmed. Also an application event.
 *
 * @param name static name of the lock
 * @param key what is locked under that name
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param remaining time until the lease is lost unless a renewal succeeds
 * @param cause why the renewal failed; null: no answer yet
 */
public record LockAtRiskEvent(
        String name,
        String key,
        long fencingToken,
        String acquisitionId,
        Duration remaining,
        @Nullable Throwable cause) implements LockEvent {}

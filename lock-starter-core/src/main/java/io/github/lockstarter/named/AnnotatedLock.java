package io.github.lockstarter.named;

import io.github.lockstarter.OnLost;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What applies to the calls of one annotated method, from its annotation or the properties of its name.
 *
 * @param name static name of the lock
 * @param method class and method, without packages
 * @param waitTime null: the configured default
 * @param lease null, or -1 ms: renewed
 * @param maxHold null: the configured default
 * @param minHold zero: none
 * @param onLost the reaction to a loss
 */
public record AnnotatedLock(
        String name,
        String method,
        @Nullable Duration waitTime,
        @Nullable Duration lease,
        @Nullable Duration maxHold,
        Duration minHold,
        OnLost onLost) {}

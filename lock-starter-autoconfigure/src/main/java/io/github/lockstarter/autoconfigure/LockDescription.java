package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One lock, as a result of the endpoint.
 *
 * @param name full name of the lock
 * @param held the hold of this instance, the longest one if there are several, or {@code null} if there is none
 * @param awaited the waiters of this instance in all modes, or {@code null} if there is none
 * @param store the lock as the store describes it, for all instances
 */
record LockDescription(
        String name, @Nullable Held held, @Nullable Awaited awaited, StoreDescription store)
        implements OperationResponseBody {}

package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the endpoint says of one lock.
 *
 * @param held what this instance holds of it; null: nothing
 * @param awaited who waits for it in this instance; null: nobody
 * @param store what the store says, of all instances
 */
record LockDescription(
        String name, @Nullable Held held, @Nullable Awaited awaited, StoreDescription store)
        implements OperationResponseBody {}

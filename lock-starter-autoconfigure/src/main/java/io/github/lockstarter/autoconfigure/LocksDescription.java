package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import io.github.lockstarter.LockInventory.Server;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The locks of this instance, as a result of the endpoint.
 *
 * @param heldCount number of leases that this instance holds
 * @param held the leases that are held longest, at most {@value LocksEndpoint#MOST}
 * @param awaitedCount number of locks that this instance waits for, each mode of a lock counted on its own
 * @param awaited the locks that are awaited longest, at most {@value LocksEndpoint#MOST}
 * @param server the server that stores the locks, or {@code null} if they are in memory
 * @param settings what is in force for each lock name of annotated methods and properties
 * @param messages how waiters of other instances are notified, {@code script}, {@code client} or {@code polling},
 *     followed by the reason in parentheses; {@code null} if there are no other instances
 * @param fence what the fence of transactions has done, or {@code null} if there is none
 */
record LocksDescription(
        int heldCount,
        List<Held> held,
        int awaitedCount,
        List<Awaited> awaited,
        @Nullable Server server,
        Map<String, SettingsDescription> settings,
        @Nullable String messages,
        @Nullable Map<String, Object> fence)
        implements OperationResponseBody {}

package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the endpoint says of all locks of this instance.
 *
 * @param heldCount how many locks it holds
 * @param held those that it has held longest, at most {@value LocksEndpoint#MOST}
 * @param awaitedCount how many locks somebody in it waits for
 * @param awaited those that are waited for longest, at most {@value LocksEndpoint#MOST}
 */
record LocksDescription(int heldCount, List<Held> held, int awaitedCount, List<Awaited> awaited)
        implements OperationResponseBody {}

package io.github.lockstarter.lease;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.lease.holder.InstanceDirectory;
import io.github.lockstarter.lease.support.InterruptShield;
import io.github.lockstarter.store.StoredLock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Describes locks as the store does, with the instances that hold them. */
final class StoredLocks {

    private final InstanceDirectory instances;

    private final Duration commandTimeout;

    StoredLocks(InstanceDirectory instances, Duration commandTimeout) {
        this.instances = instances;
        this.commandTimeout = commandTimeout;
    }

    /** Describes a lock; waits for the description of its holder, for at most one command timeout. */
    Stored describe(StoredLock found) {
        return describe(found, holder(found));
    }

    private @Nullable LockHolder holder(StoredLock found) {
        String owner = found.owner();
        if (owner == null) {
            return null;
        }
        CompletionStage<LockHolder> described = this.instances.find(owner);
        InterruptShield.await(described, this.commandTimeout);
        return this.instances.of(owner);
    }

    /** Describes a lock whose holder may be unknown. */
    static Stored describe(StoredLock found, @Nullable LockHolder holder) {
        long token = found.fencingToken();
        return new Stored(
                token > 0 ? Long.valueOf(token) : null,
                found.remainingMillis() >= 0 ? Duration.ofMillis(found.remainingMillis()) : null,
                holder,
                token > 0 ? Instant.EPOCH.plus(token, ChronoUnit.MICROS) : null,
                found.waiting() >= 0 ? Integer.valueOf(found.waiting()) : null);
    }
}

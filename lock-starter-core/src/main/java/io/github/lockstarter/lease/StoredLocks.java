package io.github.lockstarter.lease;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockInventory.StoredGrant;
import io.github.lockstarter.LockInventory.StoredWaiter;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.lease.holder.InstanceDirectory;
import io.github.lockstarter.lease.support.AcquisitionIds;
import io.github.lockstarter.lease.support.InterruptShield;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.StoredHolder;
import io.github.lockstarter.store.StoredLock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Describes locks as the store does, with the instances that hold them. */
final class StoredLocks {

    private final InstanceDirectory instances;

    private final Duration commandTimeout;

    StoredLocks(InstanceDirectory instances, Duration commandTimeout) {
        this.instances = instances;
        this.commandTimeout = commandTimeout;
    }

    /** Describes a lock; waits for the descriptions of all holders and waiters together, for at most one command timeout. */
    Stored describe(StoredLock found) {
        CompletableFuture<?>[] read = Stream.of(
                        Stream.ofNullable(found.owner()),
                        found.holders().stream().map(StoredHolder::acquisitionId),
                        found.line().stream())
                .flatMap(ids -> ids)
                .map(id -> this.instances.find(id).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        InterruptShield.await(CompletableFuture.allOf(read), this.commandTimeout);
        return describe(found, this.instances::of);
    }

    /** Describes a lock whose holders are known by their ids only. */
    static Stored describeByIds(StoredLock found) {
        return describe(found, id -> {
            String instance = AcquisitionIds.instanceOf(id);
            return new LockHolder(instance != null ? instance : id);
        });
    }

    private static Stored describe(StoredLock found, Function<String, LockHolder> instances) {
        List<StoredGrant> holders = found.holders().stream()
                .sorted(Comparator.comparingLong(StoredHolder::fencingToken))
                .map(holder -> new StoredGrant(
                        instances.apply(holder.acquisitionId()),
                        holder.fencingToken(),
                        millis(holder.remainingMillis()),
                        holder.weight(),
                        time(holder.fencingToken())))
                .toList();
        String owner = found.owner();
        long token = found.fencingToken();
        return new Stored(
                mode(found),
                token > 0 ? Long.valueOf(token) : null,
                millis(found.remainingMillis()),
                holders.isEmpty()
                        ? (owner != null ? instances.apply(owner) : null)
                        : holders.get(0).holder(),
                token > 0 ? time(token) : null,
                found.waiting() >= 0 ? Integer.valueOf(found.waiting()) : null,
                found.line().stream()
                        .map(id -> new StoredWaiter(
                                instances.apply(id), GrantKind.of(id).mode()))
                        .toList(),
                holders);
    }

    private static @Nullable LockMode mode(StoredLock found) {
        if (!found.holders().isEmpty()) {
            return GrantKind.of(found.holders().get(0).acquisitionId()).mode();
        }
        return found.owner() != null ? LockMode.WRITE : null;
    }

    private static @Nullable Duration millis(long millis) {
        return millis >= 0 ? Duration.ofMillis(millis) : null;
    }

    /** Returns the time of a grant by the store, which its token contains. */
    private static Instant time(long fencingToken) {
        return Instant.EPOCH.plus(fencingToken, ChronoUnit.MICROS);
    }
}

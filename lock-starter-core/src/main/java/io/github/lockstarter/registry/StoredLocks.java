package io.github.lockstarter.registry;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockInventory.StoredGrant;
import io.github.lockstarter.LockInventory.StoredWaiter;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.engine.AcquisitionIds;
import io.github.lockstarter.engine.Engine;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Notice;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoredHolder;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The locks in the store, regardless of the instance that owns them. Methods wait for the reply of the store unless
 * stated otherwise.
 */
final class StoredLocks {

    /**
     * Upper bound of tokens with which the scripts compute exactly. A larger token was not derived from the time of the
     * server.
     */
    private static final long MAX_TIME_MICROS = 1L << 53;

    private static final LockLog logger = LockLog.of(StoredLocks.class);

    private final LockStore store;

    private final @Nullable Engine engine;

    private final @Nullable Instances instances;

    /**
     * Creates the locks of a store.
     *
     * @param engine the locks of this instance, or {@code null} if it was not started
     * @param instances reads the descriptions of instances, or {@code null} if only their ids are shown
     */
    StoredLocks(LockStore store, @Nullable Engine engine, @Nullable Instances instances) {
        this.store = store;
        this.engine = engine;
        this.instances = instances;
    }

    /**
     * Returns whether the lock has an owner.
     *
     * @param mode READ or WRITE for owners of that mode, or {@code null} for any owner
     */
    boolean isLocked(String lockName, @Nullable LockMode mode) {
        // For a plain lock without readers, the store needs to return only the owner, which is shorter.
        StoredLock found = find(lockName, mode == null);
        return found != null && (mode == null || found.holders().isEmpty() == (mode == LockMode.WRITE));
    }

    /** Returns the number of permits that are held. */
    int used(String lockName) {
        StoredLock found = find(lockName, false);
        return found == null
                ? 0
                : found.holders().stream().mapToInt(StoredHolder::weight).sum();
    }

    /**
     * Releases the lock on behalf of its owners. Their ids are used, because a repeated command must not release the
     * lock of the next owner. Each instance whose grant has ended is notified, and checks its grant. If the message is
     * lost or cannot be sent, it checks the grant by its next renewal.
     *
     * @param whichOwners the ids that are released
     * @return whether there was such an owner
     */
    boolean forceRelease(String lockName, Predicate<String> whichOwners) {
        StoredLock found = find(lockName, false);
        boolean released = false;
        for (String owner : found != null ? owners(found) : List.<String>of()) {
            String id = GrantKind.withoutKept(owner);
            if (whichOwners.test(id)) {
                Reply reply = release(lockName, owner);
                boolean isKept = GrantKind.isKept(owner);
                if (!isKept && Reply.NotOwner.TAKEN.equals(reply)) {
                    isKept = true;
                    reply = release(lockName, GrantKind.keptOf(id));
                }
                boolean isEnded = !(reply instanceof Reply.NotOwner || reply instanceof Reply.LeftLine);
                if (isEnded && !isKept) {
                    revoked(lockName, id);
                }
                released |= isEnded;
            }
        }
        return released;
    }

    /** Notifies the instance of a grant that was released by force. Does not wait until the message is sent. */
    private void revoked(String lockName, String id) {
        String instance = AcquisitionIds.instanceOf(id);
        Engine own = ownerOf(id);
        if (own != null) {
            boolean unused = own.process(lockName, id, Notice.REVOKED);
        } else if (instance != null) {
            CompletionStage<?> unused = this.store
                    .send(new Command.Notify(lockName, instance, id, Notice.REVOKED))
                    .exceptionally(failure -> {
                        logger.debug("The owner of a lock that was released by force was not notified.", failure);
                        return Reply.Done.INSTANCE;
                    });
        }
    }

    /**
     * Asks the owners of the lock to release it, which changes nothing in the store. A minimum hold has no owner any
     * more.
     *
     * @param whichOwners the ids that are asked
     * @return whether an owner was found, and a message sent to its instance
     * @throws LockStoreException if the store does not answer, or no message can be sent
     */
    boolean requestRelease(String lockName, Predicate<String> whichOwners) {
        StoredLock found = find(lockName, false);
        boolean isAsked = false;
        for (String owner : found != null ? owners(found) : List.<String>of()) {
            String instance = AcquisitionIds.instanceOf(owner);
            if (instance != null && whichOwners.test(owner)) {
                Engine own = ownerOf(owner);
                if (own != null) {
                    isAsked |= own.process(lockName, owner, Notice.RELEASE_REQUESTED);
                } else {
                    Reply unused =
                            this.store.call(new Command.Notify(lockName, instance, owner, Notice.RELEASE_REQUESTED));
                    isAsked = true;
                }
            }
        }
        return isAsked;
    }

    /** Returns the engine that has the acquisition, or {@code null} if it belongs to another instance. */
    private @Nullable Engine ownerOf(String id) {
        return this.instances != null && this.instances.isOwn(Instances.byId(id)) ? this.engine : null;
    }

    private Reply release(String lockName, String owner) {
        return this.store.call(new Command.Release(lockName, owner, 0, 0, null));
    }

    private static List<String> owners(StoredLock found) {
        return found.holders().isEmpty()
                ? Stream.ofNullable(found.owner()).toList()
                : found.holders().stream().map(StoredHolder::acquisitionId).toList();
    }

    private @Nullable StoredLock find(String lockName, boolean ownerOnly) {
        return ((Reply.Described) this.store.call(new Command.Inspect(lockName, ownerOnly))).lock();
    }

    /**
     * Describes a lock. Waits for the descriptions of all holders and waiters together, for at most the given time.
     */
    Optional<Stored> describe(String lockName, Duration atMost) {
        return described(find(lockName, false), atMost).join();
    }

    /** Describes a lock as {@link #describe} does, without blocking. */
    CompletionStage<Optional<Stored>> describeAsync(String lockName, Duration atMost) {
        return this.store
                .send(new Command.Inspect(lockName, false))
                .thenCompose(reply -> described(((Reply.Described) reply).lock(), atMost));
    }

    private CompletableFuture<Optional<Stored>> described(@Nullable StoredLock found, Duration atMost) {
        Instances instances = this.instances;
        if (found == null || instances == null) {
            return CompletableFuture.completedFuture(
                    Optional.ofNullable(found).map(lock -> described(lock, Instances::byId)));
        }
        CompletableFuture<?>[] reads = Stream.concat(
                        owners(found).stream().map(GrantKind::withoutKept), found.line().stream())
                .map(instances::read)
                .toArray(CompletableFuture<?>[]::new);
        // If a reply is late, instances are described by their ids.
        return CompletableFuture.allOf(reads)
                .thenApply(all -> true)
                .completeOnTimeout(false, atMost.toNanos(), TimeUnit.NANOSECONDS)
                .thenApply(unused -> Optional.of(described(found, instances::of)));
    }

    private static Stored described(StoredLock found, Function<String, LockHolder> instances) {
        List<StoredGrant> holders = found.holders().stream()
                .sorted(Comparator.comparingLong(StoredHolder::fencingToken))
                .map(holder -> described(holder, instances))
                .toList();
        String owner = exclusiveOwner(found);
        long token = found.fencingToken();
        return new Stored(
                mode(found),
                token > 0 ? Long.valueOf(token) : null,
                millis(found.remainingMillis()),
                holders.isEmpty()
                        ? (owner != null ? instances.apply(owner) : null)
                        : holders.get(0).holder(),
                time(token),
                found.waiting() >= 0 ? Integer.valueOf(found.waiting()) : null,
                found.line().stream()
                        .map(id -> new StoredWaiter(
                                instances.apply(id), GrantKind.of(id).mode()))
                        .toList(),
                holders);
    }

    private static StoredGrant described(StoredHolder holder, Function<String, LockHolder> instances) {
        String id = GrantKind.withoutKept(holder.acquisitionId());
        return new StoredGrant(
                id,
                instances.apply(id),
                holder.fencingToken(),
                millis(holder.remainingMillis()),
                holder.weight(),
                time(holder.fencingToken()));
    }

    private static @Nullable LockMode mode(StoredLock found) {
        if (!found.holders().isEmpty()) {
            LockMode mode = GrantKind.of(
                            GrantKind.withoutKept(found.holders().get(0).acquisitionId()))
                    .mode();
            // The id of a holder states how it shares the lock, unless another program has written it.
            return mode != LockMode.WRITE ? mode : null;
        }
        return exclusiveOwner(found) != null ? LockMode.WRITE : null;
    }

    /**
     * Returns the exclusive owner, or {@code null} if there is none. Also returns {@code null} for a shared lock whose
     * holders were all damaged by another program.
     */
    private static @Nullable String exclusiveOwner(StoredLock found) {
        String owner = found.owner();
        String id = owner != null ? GrantKind.withoutKept(owner) : null;
        return id == null || GrantKind.isMarker(id) ? null : id;
    }

    private static @Nullable Duration millis(long millis) {
        return millis >= 0 ? Duration.ofMillis(millis) : null;
    }

    /**
     * Returns the time at which the store has granted the lock, which the token contains, or {@code null} if it
     * contains none.
     */
    private static @Nullable Instant time(long fencingToken) {
        return fencingToken > 0 && fencingToken < MAX_TIME_MICROS
                ? Instant.EPOCH.plus(fencingToken, ChronoUnit.MICROS)
                : null;
    }
}

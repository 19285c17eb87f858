package io.github.lockstarter.ui;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockInventory.StoredGrant;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Describes locks as the page shows them, in maps and lists that become JSON, releases them, and asks their owners to
 * release them. Reads each lock at the time of the request: nothing is kept. Thread-safe.
 *
 * <p>Without a scan, or without the permission for it, only those locks are listed that this instance holds or waits
 * for.
 */
final class LocksOverview {

    /** Holders of one lock that are described; as many as entries of its line. */
    private static final int MAX_HOLDERS = 100;

    /** Begins the cursor in the locks of this instance, which goes on with a position. */
    private static final String OWN = "own-";

    /** Locks that are described at the same time. More of them would delay the commands of locks. */
    private static final int BATCH = 100;

    /**
     * The ids of locks in requests. Unlike names, which may have unpaired surrogates, each of them can be sent in
     * UTF-8.
     */
    private static final LockKeys IDS = new LockKeys("lock", LoggedNames.withKeys(true));

    private final LockInventory inventory;

    private final LockRegistry registry;

    private final @Nullable LockScan scan;

    private final Duration limit;

    /**
     * Creates the overview.
     *
     * @param scan the scan, or {@code null} if there is no Redis that could be scanned
     * @param limit how long a request waits for the descriptions of locks; those that are late are left out
     */
    LocksOverview(LockInventory inventory, LockRegistry registry, @Nullable LockScan scan, Duration limit) {
        this.inventory = inventory;
        this.registry = registry;
        this.scan = scan;
        this.limit = limit;
    }

    /**
     * Describes the next locks.
     *
     * @param cursor the cursor of the previous part, or {@code null} for the first part
     * @param text what the names contain; empty: all names
     * @param count how many locks are wanted; there can be a few more or less
     * @throws LockStoreException if the store does not answer
     * @throws IllegalArgumentException if the cursor is none
     */
    Map<String, @Nullable Object> next(@Nullable String cursor, String text, int count) {
        Map<String, @Nullable Object> part = new LinkedHashMap<>();
        LockScan.Part names = null;
        if (this.scan == null) {
            part.put("only", "store");
        } else if (cursor != null && cursor.startsWith(OWN)) {
            part.put("only", "permission");
        } else {
            names = this.scan.next(cursor, text, count);
            if (names == null) {
                part.put("only", "permission");
            }
        }
        if (names == null) {
            names = ownNames(cursor, text, count);
        }
        Map<String, Object> instances = new LinkedHashMap<>();
        List<Object> locks = describe(List.copyOf(names.names()), instances);
        part.put("at", Instant.now().toEpochMilli());
        part.put("cursor", names.cursor());
        part.put("instances", instances);
        part.put("locks", locks);
        return part;
    }

    private LockScan.Part ownNames(@Nullable String cursor, String text, int count) {
        Set<String> names = new TreeSet<>();
        this.inventory.held().forEach(held -> names.add(held.name()));
        this.inventory.awaited().forEach(awaited -> names.add(awaited.name()));
        names.removeIf(name -> !name.contains(text));
        int start = 0; // also with a cursor of the scan, from a time at which that was permitted
        if (cursor != null && cursor.startsWith(OWN)) {
            if (!cursor.matches(OWN + "\\d{1,9}")) {
                throw new IllegalArgumentException("This is no cursor.");
            }
            start = Integer.parseInt(cursor.substring(OWN.length()));
        }
        int end = start + count;
        return new LockScan.Part(
                names.stream().skip(start).limit(count).collect(Collectors.toCollection(LinkedHashSet::new)),
                end < names.size() ? OWN + end : null);
    }

    /** Describes the locks in batches, because a round trip for each of them would take long. */
    private List<Object> describe(List<String> names, Map<String, Object> instances) {
        List<Object> locks = new ArrayList<>();
        int late = 0;
        Map<String, Set<Long>> asked = this.inventory.held().stream()
                .filter(Held::releaseRequested)
                .collect(Collectors.groupingBy(
                        Held::name, Collectors.mapping(Held::fencingToken, Collectors.toUnmodifiableSet())));
        long deadline = System.nanoTime() + this.limit.toNanos();
        for (int from = 0; from < names.size(); from += BATCH) {
            List<String> batch = names.subList(from, Math.min(from + BATCH, names.size()));
            long left = deadline - System.nanoTime();
            List<CompletableFuture<Optional<Stored>>> reads = batch.stream()
                    .map(name -> left > 0
                            ? this.inventory
                                    .storedAsync(name)
                                    .toCompletableFuture()
                                    .orTimeout(left, TimeUnit.NANOSECONDS)
                            : CompletableFuture.<Optional<Stored>>failedFuture(new TimeoutException()))
                    .toList();
            for (int i = 0; i < batch.size(); i++) {
                Map<String, @Nullable Object> lock =
                        describe(batch.get(i), reads.get(i), instances, asked.getOrDefault(batch.get(i), Set.of()));
                if (lock != null) {
                    locks.add(lock);
                    late += lock.containsKey("late") ? 1 : 0;
                }
            }
        }
        if (late > 0 && late == names.size()) {
            throw new LockStoreException(
                    "Redis did not answer within " + Printable.duration(this.limit) + '.', null, false, true);
        }
        return locks;
    }

    /**
     * Describes one lock.
     *
     * @param asked tokens of the grants whose owners in this instance were asked to release them
     * @return {@code null} if the lock is free
     */
    private @Nullable Map<String, @Nullable Object> describe(
            String name, CompletableFuture<Optional<Stored>> read, Map<String, Object> instances, Set<Long> asked) {
        Map<String, @Nullable Object> lock = new LinkedHashMap<>();
        lock.put("name", name);
        lock.put("id", IDS.keyOf(name));
        try {
            Optional<Stored> stored = read.join();
            if (stored.isEmpty()) {
                return null;
            }
            describe(stored.get(), lock, instances, asked);
        } catch (CompletionException ex) {
            if (ex.getCause() instanceof LockStoreException failure && !failure.isTransient()) {
                // Another program has written the key.
                lock.put("error", failure.getMessage());
            } else {
                lock.put("late", true);
            }
        }
        this.inventory.held(name).ifPresent(held -> lock.put("held", describe(held)));
        this.inventory.awaited(name).map(Awaited::waiters).ifPresent(waiters -> lock.put("waitersHere", waiters));
        return lock;
    }

    private static void describe(
            Stored stored, Map<String, @Nullable Object> lock, Map<String, Object> instances, Set<Long> asked) {
        lock.put("mode", stored.mode());
        lock.put("token", text(stored.fencingToken()));
        lock.put("remaining", millis(stored.remaining()));
        lock.put("holder", reference(stored.holder(), instances));
        // If there are several holders, the oldest is the one that may be stuck.
        lock.put(
                "since",
                time(
                        stored.holders().isEmpty()
                                ? stored.since()
                                : stored.holders().get(0).since()));
        lock.put("waiting", stored.waiting());
        lock.put(
                "line",
                stored.line().stream()
                        .map(entry -> {
                            Map<String, @Nullable Object> waiter = new LinkedHashMap<>();
                            waiter.put("instance", reference(entry.waiter(), instances));
                            waiter.put("mode", entry.mode());
                            return waiter;
                        })
                        .toList());
        lock.put("holdersCount", stored.holders().size());
        lock.put(
                "permits",
                stored.holders().stream().mapToLong(StoredGrant::permits).sum());
        lock.put(
                "holders",
                stored.holders().stream()
                        .limit(MAX_HOLDERS)
                        .map(grant -> {
                            Map<String, @Nullable Object> holder = new LinkedHashMap<>();
                            holder.put("id", grant.id());
                            holder.put("instance", reference(grant.holder(), instances));
                            holder.put("token", text(grant.fencingToken()));
                            holder.put("remaining", millis(grant.remaining()));
                            holder.put("permits", grant.permits());
                            holder.put("since", time(grant.since()));
                            holder.put("asked", asked.contains(grant.fencingToken()));
                            return holder;
                        })
                        .toList());
    }

    private static Map<String, @Nullable Object> describe(Held held) {
        Map<String, @Nullable Object> description = new LinkedHashMap<>();
        description.put("thread", held.owner());
        description.put("renewed", held.renewed());
        description.put("renewals", held.renewals());
        description.put("state", held.state());
        description.put("asked", held.releaseRequested());
        return description;
    }

    /** Returns the id of the instance, whose description is once in the answer. */
    private static @Nullable String reference(@Nullable LockHolder holder, Map<String, Object> instances) {
        if (holder == null) {
            return null;
        }
        instances.computeIfAbsent(holder.instance(), id -> {
            Map<String, @Nullable Object> instance = new LinkedHashMap<>();
            instance.put("application", holder.application());
            instance.put("host", holder.host());
            instance.put("pid", holder.pid());
            instance.put("startedAt", time(holder.startedAt()));
            return instance;
        });
        return holder.instance();
    }

    private static @Nullable Long millis(@Nullable Duration time) {
        return time != null ? Long.valueOf(time.toMillis()) : null;
    }

    private static @Nullable Long time(@Nullable Instant time) {
        return time != null ? Long.valueOf(time.toEpochMilli()) : null;
    }

    /** Returns a text, because not every reader of JSON has numbers of 64 bits. */
    private static @Nullable String text(@Nullable Long token) {
        return token != null ? token.toString() : null;
    }

    /** Outcomes of a release or of a request. */
    enum Outcome {
        /** The owner has lost the lock. */
        RELEASED,
        /** The owner was sent a message. */
        ASKED,
        /** The lock was free. */
        FREE,
        /** The lock, or this holder, has no owner that could be asked: it has ended, or is kept by a minimum hold. */
        UNOWNED,
        /** Another grant than the one that was shown owns the lock, which keeps it. */
        CHANGED
    }

    /**
     * Ends all grants of the lock, if it still has the owner that was shown.
     *
     * @see #act
     */
    Outcome release(@Nullable String id, String token) {
        return act(id, token, lock -> lock.forceUnlock() ? Outcome.RELEASED : Outcome.FREE);
    }

    /**
     * Asks the owners of the lock to release it, if it still has the owner that was shown.
     *
     * @param holder id of the grant whose owner is asked, or {@code null} to ask all owners
     * @see #act
     */
    Outcome ask(@Nullable String id, String token, @Nullable String holder) {
        return act(
                id,
                token,
                lock -> (holder != null ? lock.requestRelease(holder) : lock.requestRelease())
                        ? Outcome.ASKED
                        : Outcome.UNOWNED);
    }

    /**
     * Does something with a lock, if it still has the owner that was shown. The check and the action are not one step,
     * and a grant between them is therefore affected as well.
     *
     * @param id of the lock, as {@link #next} describes it
     * @param token that of the exclusive owner that was shown; empty for readers and permits, whose tokens change with
     *     each of them
     * @throws LockStoreException if the store does not answer
     * @throws IllegalArgumentException if the id is missing, or no lock can have it
     */
    private Outcome act(@Nullable String id, String token, Function<LeaseLock, Outcome> action) {
        String name = id != null ? IDS.nameOf(id) : null;
        if (name == null) {
            throw new IllegalArgumentException("This is no id of a lock.");
        }
        LockRequest unused = LockRequest.of(name);
        Stored stored = this.inventory.stored(name).orElse(null);
        if (stored == null) {
            return Outcome.FREE;
        }
        String present = stored.mode() == LockMode.WRITE ? text(stored.fencingToken()) : "";
        return token.equals(present) ? action.apply(this.registry.getLock(name)) : Outcome.CHANGED;
    }
}

package io.github.lockstarter.store;

import io.github.lockstarter.LockMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The holders of a lock in shared use in memory: readers, or holders of permits. Each has a deadline of its own, because
 * one for all would let a holder that has gone block others for as long as any holder stays. Not thread-safe. Times are
 * nanoseconds of {@link System#nanoTime()}.
 */
final class SharedHolders {

    /** Prefix of an owner or holder that is kept for a minimum hold, as in {@code keep.lua}; no acquisition id has it. */
    static final String KEPT_PREFIX = "~k";

    /** A holder: the end of its lease, its fencing token, and the number of permits that it holds. */
    private record Holder(long deadline, long token, int weight) {}

    /** In the order of the grants. Unmodifiable until the first grant, because most locks are never shared. */
    private Map<String, Holder> holders = Map.of();

    /** What the holders share; only set if there are any. */
    private LockMode mode = LockMode.READ;

    boolean isEmpty() {
        return this.holders.isEmpty();
    }

    LockMode mode() {
        return this.mode;
    }

    boolean contains(String acquisitionId) {
        return this.holders.containsKey(acquisitionId);
    }

    /** Returns the token of a holder. */
    long tokenOf(String acquisitionId) {
        Holder holder = this.holders.get(acquisitionId);
        return holder != null ? holder.token() : 0;
    }

    /** Returns whether there are holders, and the lock is used for permits by them or by that kind, but not by both. */
    boolean excludeUse(GrantKind kind) {
        return !isEmpty() && (kind.mode() == LockMode.PERMIT) != (this.mode == LockMode.PERMIT);
    }

    /** Returns whether a grant of that kind may exist beside the present holders. */
    boolean leaveRoomFor(GrantKind kind) {
        if (isEmpty()) {
            return true;
        }
        if (kind.mode() != this.mode) {
            return false;
        }
        return this.mode == LockMode.READ || used() + kind.weight() <= kind.limit();
    }

    /** Returns the permits in use, or the number of readers. */
    int used() {
        int used = 0;
        for (Holder holder : this.holders.values()) {
            used += Math.max(1, holder.weight());
        }
        return used;
    }

    /** Returns the id of one holder; there must be one. */
    String lastId() {
        List<String> ids = ids();
        return ids.get(ids.size() - 1);
    }

    void add(String acquisitionId, GrantKind kind, long deadline, long token) {
        if (this.holders.isEmpty()) {
            this.holders = new LinkedHashMap<>();
        }
        this.mode = kind.mode();
        this.holders.put(acquisitionId, new Holder(deadline, token, kind.weight()));
    }

    /** Sets the deadline of a holder unless its present one is later; returns false if it is no holder. */
    boolean extend(String acquisitionId, long deadline) {
        Holder holder = this.holders.get(acquisitionId);
        if (holder != null && deadline - holder.deadline() > 0) {
            this.holders.put(acquisitionId, new Holder(deadline, holder.token(), holder.weight()));
        }
        return holder != null;
    }

    void remove(String acquisitionId) {
        if (contains(acquisitionId)) {
            this.holders.remove(acquisitionId);
        }
    }

    /** Returns whether the grant of the acquisition has ended in a minimum hold or in a downgrade. */
    boolean haveEnded(String acquisitionId) {
        if (isEmpty()) {
            return false;
        }
        String reader = GrantKind.readerOf(acquisitionId);
        return contains(KEPT_PREFIX + acquisitionId) || contains(reader) || contains(KEPT_PREFIX + reader);
    }

    /**
     * Ends the grant of a holder, but keeps what it holds until the deadline. A repetition never sets a later deadline.
     *
     * @return false if the acquisition is no holder and was not kept
     */
    boolean keep(String acquisitionId, long deadline) {
        String kept = KEPT_PREFIX + acquisitionId;
        Holder holder = this.holders.get(acquisitionId);
        if (holder == null) {
            holder = this.holders.get(kept);
            if (holder == null || deadline - holder.deadline() >= 0) {
                return holder != null;
            }
        }
        this.holders.remove(acquisitionId);
        this.holders.put(kept, new Holder(deadline, holder.token(), holder.weight()));
        return true;
    }

    /** Removes the holders whose lease has expired. */
    void purge(long now) {
        if (!isEmpty()) {
            this.holders.values().removeIf(holder -> holder.deadline() - now <= 0);
        }
    }

    /** Returns the nanoseconds until the first lease expires; the largest value if there are no holders. */
    long nanosToFirst(long now) {
        long least = Long.MAX_VALUE;
        for (Holder holder : this.holders.values()) {
            least = Math.min(least, holder.deadline() - now);
        }
        return least;
    }

    /** Returns the nanoseconds until the last lease expires; 0 if there are no holders. */
    long nanosToLast(long now) {
        long most = 0;
        for (Holder holder : this.holders.values()) {
            most = Math.max(most, holder.deadline() - now);
        }
        return most;
    }

    /** Returns the ids of all holders, with the prefix of those that are kept. */
    List<String> ids() {
        return List.copyOf(this.holders.keySet());
    }

    /** Describes the holders; one that is kept for its minimum hold has the id of its acquisition. */
    List<StoredHolder> describe(long now) {
        List<StoredHolder> described = new ArrayList<>(this.holders.size());
        this.holders.forEach((id, holder) -> described.add(new StoredHolder(
                withoutPrefix(id),
                holder.token(),
                TimeUnit.NANOSECONDS.toMillis(holder.deadline() - now) + 1,
                holder.weight())));
        return described;
    }

    /** Returns the id of an acquisition, also while its grant is kept for a minimum hold. */
    static String withoutPrefix(String id) {
        return id.startsWith(KEPT_PREFIX) ? id.substring(KEPT_PREFIX.length()) : id;
    }
}

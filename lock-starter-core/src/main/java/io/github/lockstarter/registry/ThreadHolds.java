package io.github.lockstarter.registry;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Owner;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The holds of one thread by the name and the mode of the lock. Used only by that thread, except for its liveness and
 * its name.
 */
final class ThreadHolds implements Owner {

    private final Thread thread = Thread.currentThread();

    /** The only hold, or {@code null} if there is none or there are several. Most threads have at most one. */
    private @Nullable Hold only;

    /** All holds if there were several, otherwise empty. */
    private Map<Key, Hold> several = Map.of();

    /**
     * The last hold of a reader that was lost with the lease of the enclosing writer, or {@code null}. The thread no
     * longer holds it, but an unlock that may still follow reports the loss.
     */
    private @Nullable Hold lost;

    /** Name and mode of a lock. A hold is the key of its entry. */
    static class Key {

        final String lockName;

        final LockMode mode;

        Key(String lockName, LockMode mode) {
            this.lockName = lockName;
            this.mode = mode;
        }

        @Override
        public final boolean equals(@Nullable Object other) {
            return other instanceof Key key && isOf(key.lockName, key.mode);
        }

        final boolean isOf(String name, LockMode ofMode) {
            return this.mode == ofMode && this.lockName.equals(name);
        }

        @Override
        public final int hashCode() {
            return this.lockName.hashCode();
        }
    }

    @Override
    public boolean isAlive() {
        return this.thread.isAlive();
    }

    /** Returns the name of the thread that owns the grant, or {@code null} if it belongs to no thread. */
    static @Nullable String threadName(Grant grant) {
        if (!(grant.owner instanceof ThreadHolds holds)) {
            return null;
        }
        // Virtual threads have no name by default, but thread dumps show their number.
        String name = holds.thread.getName();
        return name.isEmpty() ? "#" + holds.thread.getId() : name;
    }

    /** Returns whether the thread holds the lock in any mode, or permits of the semaphore. */
    boolean holds(LockRequest request) {
        return request.mode() == LockMode.PERMIT
                ? get(request) != null
                : get(request.lockName(), LockMode.WRITE) != null || get(request.lockName(), LockMode.READ) != null;
    }

    @Nullable
    Hold get(LockRequest request) {
        return get(request.lockName(), request.mode());
    }

    @Nullable
    Hold get(String lockName, LockMode mode) {
        Hold found = this.only;
        if (found == null) {
            found = this.several.isEmpty() ? null : this.several.get(new Key(lockName, mode));
        } else if (!found.isOf(lockName, mode)) {
            found = null;
        }
        if (found != null && found.count == 0) {
            remove(found);
            found = null;
        }
        return found;
    }

    void put(Hold hold) {
        Hold first = this.only;
        if (first == null && this.several.isEmpty()) {
            this.only = hold;
            return;
        }
        if (first != null) {
            this.several = new HashMap<>();
            this.several.put(first, first);
            this.only = null;
        }
        this.several.put(hold, hold);
    }

    @SuppressWarnings("ReferenceEquality") // another hold of the lock may have taken its place
    void remove(Hold hold) {
        if (this.only == hold) {
            this.only = null;
        } else if (this.several.get(hold) == hold) {
            this.several.remove(hold);
        }
    }

    void removeLost(Hold hold) {
        remove(hold);
        this.lost = hold;
    }

    /**
     * Returns the last hold that {@link #removeLost} has removed if it is of the given lock, and otherwise {@code
     * null}. Forgets the hold in both cases.
     */
    @Nullable
    Hold takeLost(LockRequest request) {
        Hold hold = this.lost;
        this.lost = null;
        return hold != null && hold.isOf(request.lockName(), request.mode()) ? hold : null;
    }

    boolean isEmpty() {
        return this.only == null && this.several.isEmpty() && this.lost == null;
    }
}

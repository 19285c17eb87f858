package io.github.lockstarter.lease;

import io.github.lockstarter.LockMode;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keeps the holds of each thread by the name and the mode of the lock. Reentrancy is implemented here alone, without the store. */
final class ThreadHolds {

    @SuppressWarnings("ThreadLocalUsage") // a registry is a singleton; what a thread holds belongs to it alone
    private final ThreadLocal<@Nullable Map<Object, Hold>> holds = new ThreadLocal<>();

    /** Key of a hold beside which others may exist. A hold of the lock alone has its name as the key. */
    private record SharedHold(String lockName, LockMode mode) {}

    private static Object keyOf(String lockName, LockMode mode) {
        return mode == LockMode.WRITE ? lockName : new SharedHold(lockName, mode);
    }

    @Nullable
    Hold get(String lockName, LockMode mode) {
        Map<Object, Hold> mine = this.holds.get();
        return mine != null ? mine.get(keyOf(lockName, mode)) : null;
    }

    void put(Hold hold) {
        Map<Object, Hold> mine = this.holds.get();
        if (mine == null) {
            mine = new HashMap<>(4);
            this.holds.set(mine);
        }
        mine.put(keyOf(hold.lockName(), hold.mode()), hold);
    }

    /** Removes the hold, and the map with the last one, so that pool threads keep nothing. */
    void remove(Hold hold) {
        Map<Object, Hold> mine = this.holds.get();
        if (mine != null && mine.remove(keyOf(hold.lockName(), hold.mode())) != null && mine.isEmpty()) {
            this.holds.remove();
        }
    }
}

package io.github.lockstarter.lease;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keeps the holds of each thread by the name of the lock. Reentrancy is implemented here alone, without the store. */
final class ThreadHolds {

    @SuppressWarnings("ThreadLocalUsage") // a registry is a singleton; what a thread holds belongs to it alone
    private final ThreadLocal<@Nullable Map<String, Hold>> holds = new ThreadLocal<>();

    @Nullable
    Hold get(String lockName) {
        Map<String, Hold> mine = this.holds.get();
        return mine != null ? mine.get(lockName) : null;
    }

    void put(Hold hold) {
        Map<String, Hold> mine = this.holds.get();
        if (mine == null) {
            mine = new HashMap<>(4);
            this.holds.set(mine);
        }
        mine.put(hold.grant().lockName(), hold);
    }

    /** Removes the hold, and the map with the last one, so that pool threads keep nothing. */
    void remove(Hold hold) {
        Map<String, Hold> mine = this.holds.get();
        if (mine != null && mine.remove(hold.grant().lockName()) != null && mine.isEmpty()) {
            this.holds.remove();
        }
    }
}

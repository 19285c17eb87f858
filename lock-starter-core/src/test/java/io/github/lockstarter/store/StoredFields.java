package io.github.lockstarter.store;

import io.github.lockstarter.LockMode;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads what a lock of a {@link LockTable} consists of. */
public final class StoredFields {

    private StoredFields() {}

    /**
     * Returns the fields of the hash that corresponds to the lock in Redis, see {@code lock.lua}; none if it is free.
     */
    public static Map<String, String> of(@Nullable LockState lock, long claimMillis) {
        Map<String, String> fields = new TreeMap<>();
        if (lock == null) {
            return fields;
        }
        String marker = lock.shared == LockMode.READ ? "~r" : "~s";
        fields.put("o", lock.owner != null ? lock.owner : marker);
        fields.put("f", Long.toString(lock.token));
        if (lock.shared != null) {
            fields.put("s", joined(lock.holders.size(), lock.used, lock.soonest, lock.named));
        }
        for (LockState.Entry entry : lock.holders()) {
            fields.put("h:" + entry.id, joined(entry.deadline, entry.token, entry.weight()));
        }
        if (lock.line.size() > 0) {
            fields.put("q", joined(lock.first, lock.last, lock.line.size(), lock.due));
        }
        for (LockState.Entry entry : lock.line()) {
            fields.put("e:" + entry.place, entry.id);
            fields.put(
                    "w:" + entry.id,
                    joined(
                            entry.place,
                            entry.deadline,
                            claimMillis + (entry.inbox.startsWith(".") ? "" : ":") + entry.inbox));
        }
        return fields;
    }

    /** Returns the last millisecond at which the lock exists. */
    public static long endOf(LockState lock) {
        return lock.endsAt;
    }

    /** Returns the milliseconds at which a lease or a deadline ends, or may end. */
    public static NavigableSet<Long> endsOf(LockTable table) {
        TreeSet<Long> ends = new TreeSet<>();
        for (LockState lock : table.locks()) {
            ends.add(lock.endsAt);
            for (LockState.Entry entry : lock.holders()) {
                ends.add(entry.deadline);
                ends.add(lock.soonest);
            }
            for (LockState.Entry entry : lock.line()) {
                ends.add(entry.deadline);
                ends.add(lock.due);
            }
        }
        return ends;
    }

    /** Returns the number of holders in shared use. */
    public static int holdersOf(LockState lock) {
        return lock.holders.size();
    }

    /** Returns the number of entries in the waiting line. */
    public static int waitingIn(LockState lock) {
        return lock.line.size();
    }

    private static String joined(Object... parts) {
        return Stream.of(parts).map(String::valueOf).collect(Collectors.joining(":"));
    }
}

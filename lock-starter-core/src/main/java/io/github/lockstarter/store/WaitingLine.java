package io.github.lockstarter.store;

import java.util.ArrayList;
import java.util.List;

/**
 * The waiting line of a lock in memory, in the order of arrival. While the lock is in shared use, each entry has a
 * deadline, which its polls move: a waiter that has gone must not block the line for as long as holders come and go.
 * Not thread-safe. Times are nanoseconds of {@link System#nanoTime()}.
 */
final class WaitingLine {

    /** An acquisition in the line. Not a record, because the deadline changes. */
    private static final class Entry {

        private final String acquisitionId;

        private boolean hasDeadline;

        private long deadline;

        Entry(String acquisitionId) {
            this.acquisitionId = acquisitionId;
        }

        void setDeadline(long deadline) {
            this.hasDeadline = true;
            this.deadline = deadline;
        }
    }

    private final List<Entry> entries = new ArrayList<>(0);

    boolean isEmpty() {
        return this.entries.isEmpty();
    }

    int size() {
        return this.entries.size();
    }

    /** Returns the id of the first acquisition; the line must not be empty. */
    String first() {
        return this.entries.get(0).acquisitionId;
    }

    void removeFirst() {
        this.entries.remove(0);
    }

    /** Returns the ids of the first acquisitions, up to the limit of a description. */
    List<String> firstIds() {
        return this.entries.stream()
                .limit(StoredLock.MOST_IN_LINE)
                .map(entry -> entry.acquisitionId)
                .toList();
    }

    boolean contains(String acquisitionId) {
        for (Entry entry : this.entries) {
            if (entry.acquisitionId.equals(acquisitionId)) {
                return true;
            }
        }
        return false;
    }

    /** Appends the acquisition unless it is in the line, and returns its entry. */
    private Entry joined(String acquisitionId) {
        for (Entry entry : this.entries) {
            if (entry.acquisitionId.equals(acquisitionId)) {
                return entry;
            }
        }
        Entry entry = new Entry(acquisitionId);
        this.entries.add(entry);
        return entry;
    }

    /** Appends the acquisition unless it is in the line. */
    void join(String acquisitionId) {
        joined(acquisitionId);
    }

    /** Appends the acquisition unless it is in the line, and sets its deadline. */
    void join(String acquisitionId, long deadline) {
        joined(acquisitionId).setDeadline(deadline);
    }

    /** Removes the acquisition, and returns whether it was in the line. */
    boolean leave(String acquisitionId) {
        return this.entries.removeIf(entry -> entry.acquisitionId.equals(acquisitionId));
    }

    /** Removes the entries whose deadline has passed. */
    void purge(long now) {
        if (!isEmpty()) {
            this.entries.removeIf(entry -> entry.hasDeadline && entry.deadline - now <= 0);
        }
    }

    /** Sets the deadline of all entries that have none. */
    void limit(long deadline) {
        for (Entry entry : this.entries) {
            if (!entry.hasDeadline) {
                entry.setDeadline(deadline);
            }
        }
    }

    /** Removes all deadlines. */
    void unlimit() {
        for (Entry entry : this.entries) {
            entry.hasDeadline = false;
        }
    }
}

package io.github.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps entries by the time at which they are due: a hashed timing wheel with intrusive entries. Adding, moving and
 * removing an entry take a few assignments, whatever the number of entries, and allocate nothing. A slot covers about a
 * millisecond (2^20 ns); an entry that is due in a later turn of the wheel stays in its slot until then. All times are
 * those of {@link System#nanoTime()}, compared by their difference, because that clock may overflow. Safe for use by
 * several threads: a lock is held for the few assignments of a step.
 *
 * @see <a href="https://doi.org/10.1145/41457.37504">Varghese and Lauck, Hashed and hierarchical timing wheels</a>
 */
final class TimingWheel<E extends TimingWheel.Entry> {

    /** An entry of a wheel; in at most one wheel at a time. */
    abstract static class Entry {

        private long due;

        private int slot = -1;

        private @Nullable Entry before;

        private @Nullable Entry after;
    }

    /** A turn takes 17 s, longer than the interval of renewals by default: what is due in a later turn is looked at in each. */
    private static final int SLOTS = 16_384;

    /** 2^20 ns: about a millisecond. */
    private static final int TICK_BITS = 20;

    private final ReentrantLock lock = new ReentrantLock();

    private final @Nullable Entry[] slots = new @Nullable Entry[SLOTS];

    private final long[] occupied = new long[SLOTS / Long.SIZE];

    private final long origin;

    /** No entry is due before this tick, except for those that were overdue when they were added: they are in its slot. */
    private long cursor;

    private int size;

    /** No entry is due before this time; meaningless unless {@link #known}. */
    private long earliest;

    private boolean known;

    /** Creates an empty wheel for times from {@code now} on. */
    TimingWheel(long now) {
        this.origin = now;
    }

    /** Adds the entry, or moves it; returns true if no entry was known to be due that early. */
    boolean put(E entry, long due) {
        this.lock.lock();
        try {
            Entry moved = entry;
            takeOut(moved);
            moved.due = due;
            link(moved, (int) Math.max(tick(due), this.cursor) & (SLOTS - 1));
            if (this.known && this.earliest - due <= 0) {
                return false;
            }
            this.earliest = due;
            this.known = true;
            return true;
        } finally {
            this.lock.unlock();
        }
    }

    /** Removes the entry if it is in the wheel. */
    void remove(E entry) {
        this.lock.lock();
        try {
            takeOut(entry);
        } finally {
            this.lock.unlock();
        }
    }

    /** Removes and returns an entry that is due; null if there is none. */
    @Nullable
    E pollDue(long now) {
        this.lock.lock();
        try {
            long last = tick(now);
            while (this.size > 0) {
                Entry entry = this.slots[(int) this.cursor & (SLOTS - 1)];
                while (entry != null && entry.due - now > 0) {
                    entry = entry.after;
                }
                if (entry != null) {
                    takeOut(entry);
                    return typed(entry);
                }
                if (this.cursor >= last) {
                    return null;
                }
                // After a turn of the wheel every slot has been seen.
                this.cursor = Math.min(last, nextOccupied(Math.max(this.cursor + 1, last - SLOTS + 1)));
            }
            return null;
        } finally {
            this.lock.unlock();
        }
    }

    /** Returns a time before which no entry is due and at which one may be; {@code ifEmpty} without entries. */
    long firstDue(long ifEmpty) {
        this.lock.lock();
        try {
            this.known = this.size > 0;
            if (!this.known) {
                return ifEmpty;
            }
            long tick = nextOccupied(this.cursor);
            long first = this.origin + ((tick + 1) << TICK_BITS);
            for (Entry entry = this.slots[(int) tick & (SLOTS - 1)]; entry != null; entry = entry.after) {
                if (entry.due - first < 0) {
                    first = entry.due;
                }
            }
            this.earliest = first;
            return first;
        } finally {
            this.lock.unlock();
        }
    }

    /** Returns when the first of the overdue entries was due; {@code now} if there is none. */
    long firstLate(long now) {
        this.lock.lock();
        try {
            long last = Math.min(Math.max(tick(now), this.cursor), this.cursor + SLOTS - 1);
            long first = now;
            for (long tick = this.cursor; this.size > 0 && tick <= last; tick++) {
                tick = nextOccupied(tick);
                // Some of them are due in a later turn of the wheel.
                for (Entry entry = this.slots[(int) tick & (SLOTS - 1)]; entry != null; entry = entry.after) {
                    if (entry.due - first < 0) {
                        first = entry.due;
                    }
                }
            }
            return first;
        } finally {
            this.lock.unlock();
        }
    }

    /** Returns all entries, in no particular order. For tests. */
    List<E> snapshot() {
        this.lock.lock();
        try {
            List<E> entries = new ArrayList<>(this.size);
            for (Entry first : this.slots) {
                for (Entry entry = first; entry != null; entry = entry.after) {
                    entries.add(typed(entry));
                }
            }
            return entries;
        } finally {
            this.lock.unlock();
        }
    }

    private long tick(long time) {
        return (time - this.origin) >> TICK_BITS;
    }

    /** Returns the first tick from {@code from} on whose slot is not empty; at least one slot must not be. */
    private long nextOccupied(long from) {
        int slot = (int) from & (SLOTS - 1);
        int word = slot / Long.SIZE;
        long bits = this.occupied[word] & (-1L << slot);
        for (int words = 0; bits == 0 && words < this.occupied.length; words++) {
            word = (word + 1) & (this.occupied.length - 1);
            bits = this.occupied[word];
        }
        int found = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
        return from + ((found - slot) & (SLOTS - 1));
    }

    private void link(Entry entry, int slot) {
        Entry first = this.slots[slot];
        entry.slot = slot;
        entry.after = first;
        if (first != null) {
            first.before = entry;
        } else {
            this.occupied[slot / Long.SIZE] |= 1L << slot;
        }
        this.slots[slot] = entry;
        this.size++;
    }

    private void takeOut(Entry entry) {
        int slot = entry.slot;
        if (slot < 0) {
            return;
        }
        Entry before = entry.before;
        Entry after = entry.after;
        if (after != null) {
            after.before = before;
        }
        if (before != null) {
            before.after = after;
        } else {
            this.slots[slot] = after;
            if (after == null) {
                this.occupied[slot / Long.SIZE] &= ~(1L << slot);
            }
        }
        entry.slot = -1;
        entry.before = null;
        entry.after = null;
        this.size--;
    }

    @SuppressWarnings("unchecked")
    private E typed(Entry entry) {
        return (E) entry;
    }
}

package io.github.lockstarter.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A hashed timing wheel, which stores entries by the times at which they are due. Adding, moving and removing an entry
 * take a few assignments, regardless of the number of entries. A slot covers about a millisecond (2^20 ns). An entry
 * that is due in a later turn of the wheel stays in its slot until then. All times are readings of one monotonic clock
 * and are compared by their difference, because such a clock may overflow. Safe for use by several threads: a lock is
 * held for the few assignments of a step.
 *
 * <p>The entries of a slot are in an array instead of a linked list, because many locks are renewed at the same time.
 * Links between objects that are scattered over the heap cost a cache miss for each neighbour, and cost the garbage
 * collector a card for each link.
 *
 * @see <a href="https://doi.org/10.1145/41457.37504">Varghese and Lauck, Hashed and hierarchical timing wheels</a>
 */
final class TimingWheel<E extends TimingWheel.Entry> {

    /** An entry of a wheel. It is in at most one wheel at a time. */
    abstract static class Entry {

        /**
         * The time of the latest {@link #put}. Code outside the wheel only reads it, and not while another thread puts
         * the entry.
         */
        long due;

        private int slot = -1;

        private int index;
    }

    /** The entries of a slot, in no particular order. A slot exists only while it has entries. */
    private static final class Slot {

        private @Nullable Entry[] entries = new @Nullable Entry[4];

        private int size;

        /** No entry is due before this time. */
        private long earliest;

        void add(Entry entry) {
            if (this.size == this.entries.length) {
                this.entries = Arrays.copyOf(this.entries, 2 * this.size);
            }
            if (this.size == 0 || entry.due - this.earliest < 0) {
                this.earliest = entry.due;
            }
            entry.index = this.size;
            this.entries[this.size++] = entry;
        }

        void remove(Entry entry) {
            Entry last = get(--this.size);
            this.entries[this.size] = null;
            if (last != entry) {
                this.entries[entry.index] = last;
                last.index = entry.index;
            }
            entry.slot = -1;
        }

        Entry get(int index) {
            return Objects.requireNonNull(this.entries[index]);
        }

        /** Returns the time at which the first entry is due, or {@code atMost} if that is earlier. */
        long earliest(long atMost) {
            long first = atMost;
            for (int i = 0; i < this.size; i++) {
                long due = get(i).due;
                first = due - first < 0 ? due : first;
            }
            return first;
        }
    }

    /**
     * Number of slots. A turn takes 17 s, which is longer than the default interval of renewals, because entries that
     * are due in a later turn are checked in each turn.
     */
    private static final int SLOTS = 16_384;

    /** Logarithm of the nanoseconds in a tick: 2^20 ns are about a millisecond. */
    private static final int TICK_BITS = 20;

    /** Maximum number of entries that one step returns, because the lock must not be held for long. */
    private static final int MAX_POLLED = 100;

    private final ReentrantLock lock = new ReentrantLock();

    private final @Nullable Slot[] slots = new @Nullable Slot[SLOTS];

    private final long[] occupied = new long[SLOTS / Long.SIZE];

    private final long origin;

    /** No entry is due before this tick. Entries that were overdue when they were added are in its slot. */
    private long cursor;

    private int size;

    /** No entry is due before this time. Valid only if {@link #known}. */
    private long earliest;

    private boolean known;

    /** Creates an empty wheel for times from {@code now} on. */
    TimingWheel(long now) {
        this.origin = now;
    }

    /**
     * Adds the entry, or moves it if it is in the wheel.
     *
     * @return {@code true} if no entry was known to be due at that time or earlier
     */
    boolean put(E entry, long due) {
        this.lock.lock();
        try {
            Entry moved = entry;
            takeOut(moved);
            moved.due = due;
            int index = (int) Math.max(tick(due), this.cursor) & (SLOTS - 1);
            Slot slot = this.slots[index];
            if (slot == null) {
                slot = new Slot();
                this.slots[index] = slot;
                this.occupied[index / Long.SIZE] |= 1L << index;
            }
            slot.add(moved);
            moved.slot = index;
            this.size++;
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

    /**
     * Removes and returns entries that are due. If there are many, it returns only some of them. The list is empty if
     * none is due.
     */
    List<E> pollDue(long now) {
        // The allocation precedes all changes, because it can fail.
        List<E> due = new ArrayList<>(MAX_POLLED);
        this.lock.lock();
        try {
            long last = tick(now);
            while (this.size > 0) {
                Slot slot = this.slots[(int) this.cursor & (SLOTS - 1)];
                if (slot != null && slot.earliest - now <= 0) {
                    poll(slot, now, due);
                }
                if (this.cursor >= last || due.size() >= MAX_POLLED) {
                    break;
                }
                if (this.size > 0) {
                    // After one turn of the wheel, every slot has been checked.
                    this.cursor = Math.min(last, nextOccupied(Math.max(this.cursor + 1, last - SLOTS + 1)));
                }
            }
            return due;
        } finally {
            this.lock.unlock();
        }
    }

    private void poll(Slot slot, long now, List<E> into) {
        for (int i = slot.size - 1; i >= 0; i--) {
            Entry entry = slot.get(i);
            if (entry.due - now <= 0) {
                if (into.size() >= MAX_POLLED) {
                    return;
                }
                takeOut(entry);
                into.add(typed(entry));
            }
        }
        if (slot.size > 0) {
            slot.earliest = slot.earliest(slot.get(0).due);
        }
    }

    /**
     * Returns a time before which no entry is due, but no later than the end of the first slot with entries. Returns
     * {@code ifEmpty} if there are no entries.
     */
    long firstDue(long ifEmpty) {
        this.lock.lock();
        try {
            this.known = this.size > 0;
            if (!this.known) {
                return ifEmpty;
            }
            long tick = nextOccupied(this.cursor);
            long end = this.origin + ((tick + 1) << TICK_BITS);
            long first = slot(tick).earliest;
            this.earliest = first - end < 0 ? first : end;
            return this.earliest;
        } finally {
            this.lock.unlock();
        }
    }

    /** Returns the time at which the first overdue entry was due, or {@code now} if none is overdue. */
    long firstLate(long now) {
        this.lock.lock();
        try {
            long last = Math.min(Math.max(tick(now), this.cursor), this.cursor + SLOTS - 1);
            long first = now;
            for (long tick = this.cursor; this.size > 0 && tick <= last; tick++) {
                tick = nextOccupied(tick);
                // Some entries of the slot may be due in a later turn of the wheel.
                first = slot(tick).earliest(first);
            }
            return first;
        } finally {
            this.lock.unlock();
        }
    }

    private Slot slot(long tick) {
        return Objects.requireNonNull(this.slots[(int) tick & (SLOTS - 1)]);
    }

    private long tick(long time) {
        return (time - this.origin) >> TICK_BITS;
    }

    /** Returns the first tick from {@code from} on whose slot is not empty. At least one slot must not be empty. */
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

    private void takeOut(Entry entry) {
        int index = entry.slot;
        if (index < 0) {
            return;
        }
        Slot slot = slot(index);
        slot.remove(entry);
        this.size--;
        if (slot.size == 0) {
            this.slots[index] = null;
            this.occupied[index / Long.SIZE] &= ~(1L << index);
        }
    }

    @SuppressWarnings("unchecked")
    private E typed(Entry entry) {
        return (E) entry;
    }
}

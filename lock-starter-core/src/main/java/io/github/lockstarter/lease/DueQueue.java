package io.github.lockstarter.lease;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Entries by the time at which somebody must look at them: a binary heap whose entries know their place, so that most
 * leases come and go at the price of a few comparisons and without a timer of their own.
 */
final class DueQueue<E extends DueQueue.Entry> {

    /** What can stand in a queue, in one at a time. */
    abstract static class Entry {

        private long due;

        private int place = -1;
    }

    private final ReentrantLock lock = new ReentrantLock();

    private Entry[] heap = new Entry[64];

    private int size;

    /** Puts the entry in, or moves it, to that time; true if it is the first of all now. */
    boolean put(E entry, long due) {
        this.lock.lock();
        try {
            Entry moved = entry;
            moved.due = due;
            if (moved.place < 0) {
                if (this.size == this.heap.length) {
                    this.heap = Arrays.copyOf(this.heap, this.size * 2);
                }
                set(this.size++, moved);
            }
            siftUp(moved.place);
            siftDown(moved.place);
            return moved.place == 0;
        } finally {
            this.lock.unlock();
        }
    }

    /** Takes the entry out, if it is in. */
    void remove(E entry) {
        this.lock.lock();
        try {
            takeOut(entry);
        } finally {
            this.lock.unlock();
        }
    }

    /** Takes out the first entry if its time has come. */
    @Nullable
    E pollDue(long now) {
        this.lock.lock();
        try {
            if (this.size == 0 || this.heap[0].due - now > 0) {
                return null;
            }
            E first = at(0);
            takeOut(first);
            return first;
        } finally {
            this.lock.unlock();
        }
    }

    /** Time of the first entry; the fallback if there is none. */
    long firstDue(long ifEmpty) {
        this.lock.lock();
        try {
            return this.size == 0 ? ifEmpty : this.heap[0].due;
        } finally {
            this.lock.unlock();
        }
    }

    /** All entries, in no order. */
    List<E> snapshot() {
        this.lock.lock();
        try {
            List<E> entries = new ArrayList<>(this.size);
            for (int i = 0; i < this.size; i++) {
                entries.add(at(i));
            }
            return entries;
        } finally {
            this.lock.unlock();
        }
    }

    @SuppressWarnings("unchecked")
    private E at(int place) {
        return (E) this.heap[place];
    }

    @SuppressWarnings("NullAway") // the heap is null only beyond its size
    private void takeOut(Entry entry) {
        int place = entry.place;
        if (place < 0) {
            return;
        }
        entry.place = -1;
        Entry last = this.heap[--this.size];
        this.heap[this.size] = null;
        if (last != entry) {
            set(place, last);
            siftUp(place);
            siftDown(last.place);
        }
    }

    private void siftUp(int place) {
        Entry entry = this.heap[place];
        while (place > 0) {
            int parent = (place - 1) >>> 1;
            if (this.heap[parent].due - entry.due <= 0) {
                break;
            }
            set(place, this.heap[parent]);
            place = parent;
        }
        set(place, entry);
    }

    private void siftDown(int place) {
        Entry entry = this.heap[place];
        for (int child = 2 * place + 1; child < this.size; child = 2 * place + 1) {
            if (child + 1 < this.size && this.heap[child + 1].due - this.heap[child].due < 0) {
                child++;
            }
            if (entry.due - this.heap[child].due <= 0) {
                break;
            }
            set(place, this.heap[child]);
            place = child;
        }
        set(place, entry);
    }

    private void set(int place, Entry entry) {
        this.heap[place] = entry;
        entry.place = place;
    }
}

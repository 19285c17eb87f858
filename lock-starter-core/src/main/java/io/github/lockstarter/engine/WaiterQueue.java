package io.github.lockstarter.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one lock in the order of arrival, and by the times at which something is due for them. Entering and leaving cost
 * O(log n). The links and the positions in the heap are fields of the waiters, so that a queue of one waiter costs one array.
 */
final class WaiterQueue {

    private @Nullable Waiter first;

    private @Nullable Waiter last;

    /** A binary heap by {@link Waiter#heapKey}. */
    private @Nullable Waiter[] heap = new Waiter[2];

    private int size;

    @Nullable
    Waiter first() {
        return this.first;
    }

    /** Returns the waiter for which something is due first; null: the queue is empty. */
    @Nullable
    Waiter nextDue() {
        return this.heap[0];
    }

    /** Returns the time at which something is due for {@link #nextDue}. */
    long dueAt() {
        Waiter next = this.heap[0];
        return next != null ? next.heapKey : Moment.NEVER;
    }

    void add(Waiter waiter, long dueAt) {
        if (this.size == this.heap.length) {
            // Precedes all changes, because it can fail.
            this.heap = Arrays.copyOf(this.heap, 2 * this.size);
        }
        Waiter before = this.last;
        waiter.previous = before;
        if (before == null) {
            this.first = waiter;
        } else {
            before.next = waiter;
        }
        this.last = waiter;
        waiter.heapKey = dueAt;
        moveUp(waiter, this.size++);
    }

    /** Removes a waiter, and returns false if it is not in the queue. */
    boolean remove(Waiter waiter) {
        int index = waiter.heapIndex;
        if (index < 0) {
            return false;
        }
        Waiter before = waiter.previous;
        Waiter behind = waiter.next;
        if (before == null) {
            this.first = behind;
        } else {
            before.next = behind;
        }
        if (behind == null) {
            this.last = before;
        } else {
            behind.previous = before;
        }
        waiter.previous = null;
        waiter.next = null;
        waiter.heapIndex = -1;
        Waiter moved = this.heap[--this.size];
        this.heap[this.size] = null;
        if (moved != null && moved != waiter) {
            moveUp(moved, index);
            moveDown(moved, moved.heapIndex);
        }
        return true;
    }

    /** Sets a later time at which something is due for the waiter. */
    void postpone(Waiter waiter, long dueAt) {
        waiter.heapKey = dueAt;
        moveDown(waiter, waiter.heapIndex);
    }

    /** Makes the heap anew from the order of arrival, after an error that may have left it incomplete. */
    void rebuild() {
        this.size = 0;
        Arrays.fill(this.heap, null);
        for (Waiter waiter = this.first; waiter != null; waiter = waiter.next) {
            if (this.size == this.heap.length) {
                this.heap = Arrays.copyOf(this.heap, 2 * this.size);
            }
            moveUp(waiter, this.size++);
        }
    }

    private void moveUp(Waiter waiter, int from) {
        int index = from;
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            Waiter above = this.heap[parent];
            if (above == null || above.heapKey <= waiter.heapKey) {
                break;
            }
            put(above, index);
            index = parent;
        }
        put(waiter, index);
    }

    private void moveDown(Waiter waiter, int from) {
        int index = from;
        while (true) {
            int child = 2 * index + 1;
            if (child >= this.size) {
                break;
            }
            Waiter below = this.heap[child];
            Waiter right = child + 1 < this.size ? this.heap[child + 1] : null;
            if (right != null && below != null && right.heapKey < below.heapKey) {
                child++;
                below = right;
            }
            if (below == null || waiter.heapKey <= below.heapKey) {
                break;
            }
            put(below, index);
            index = child;
        }
        put(waiter, index);
    }

    private void put(Waiter waiter, int index) {
        this.heap[index] = waiter;
        waiter.heapIndex = index;
    }
}

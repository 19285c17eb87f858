package io.github.lockstarter.lock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one lock in the order of their arrival, which are also ordered by the times at which something is due
 * for them. Entering and leaving take O(log n). The links and the heap positions are fields of the waiters, and a
 * single waiter needs no heap.
 *
 * <p>Any method call can fail if the stack is exhausted. Therefore a waiter enters and leaves by writes of fields, and
 * each later call either orders the heap or has no effect. After an error, only the order of the heap can be wrong, and
 * {@link #rebuild} corrects it. Not thread-safe.
 */
final class WaiterQueue {

    private static final @Nullable Waiter[] EMPTY = new Waiter[0];

    /** The shared queue of locks without waiters that are new or were renewed. It is never changed. */
    static final WaiterQueue NONE = new WaiterQueue();

    /** The first waiter, or {@code null} if the queue is empty. Only this class changes it. */
    @Nullable
    Waiter first;

    private @Nullable Waiter last;

    /**
     * A binary heap ordered by {@link Waiter#heapKey}. It stays empty as long as there is at most one waiter at a time.
     */
    private @Nullable Waiter[] heap = EMPTY;

    private int size;

    private List<Waiter> overdue = List.of();

    /** Returns the waiter for which something is due first, or {@code null} if the queue is empty. */
    @Nullable
    Waiter nextDue() {
        return this.size > 1 ? this.heap[0] : this.first;
    }

    /**
     * Returns the time at which something is due for {@link #nextDue}, or {@link Moment#NEVER} if the queue is empty.
     */
    long dueAt() {
        Waiter next = this.size > 1 ? this.heap[0] : this.first;
        return next != null ? next.heapKey : Moment.NEVER;
    }

    void add(Waiter waiter, long dueAt) {
        if (this.size > 0 && this.size >= this.heap.length) {
            // The allocation precedes all changes, because it can fail.
            this.heap = Arrays.copyOf(this.heap, 4 * this.size);
        }
        int index = this.size++;
        if (index > 0) {
            this.heap[0] = index == 1 ? this.first : this.heap[0];
            this.heap[index] = waiter;
        }
        waiter.heapIndex = index;
        waiter.heapKey = dueAt;
        Waiter before = this.last;
        waiter.previous = before;
        if (before == null) {
            this.first = waiter;
        } else {
            before.next = waiter;
        }
        this.last = waiter;
        if (index > 0) {
            moveUp(waiter, index);
        }
    }

    /**
     * Removes a waiter.
     *
     * @return {@code false} if the waiter was not in the queue
     */
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
        if (--this.size == 0) {
            if (this.heap.length > 0) {
                this.heap = EMPTY;
            }
            if (!this.overdue.isEmpty()) {
                this.overdue = List.of();
            }
            return true;
        }
        Waiter moved = this.heap[this.size];
        this.heap[this.size] = null;
        if (moved != null && moved != waiter) {
            this.heap[index] = moved;
            moved.heapIndex = index;
            moveUp(moved, index);
            moveDown(moved, moved.heapIndex);
        }
        return true;
    }

    /** Sets a later time at which something is due for the waiter. */
    void postpone(Waiter waiter, long dueAt) {
        waiter.heapKey = dueAt;
        if (this.size > 1) {
            moveDown(waiter, waiter.heapIndex);
        }
    }

    /** Notes a waiter whose time is up. It stays in the queue until the cause of its refusal is known. */
    void addOverdue(Waiter waiter) {
        if (this.overdue.isEmpty()) {
            this.overdue = new ArrayList<>(2);
        }
        this.overdue.add(waiter);
    }

    /**
     * Removes and returns the waiters that {@link #addOverdue} has noted. Some of them may no longer be in the queue.
     */
    List<Waiter> takeOverdue() {
        List<Waiter> all = this.overdue;
        if (!all.isEmpty()) {
            this.overdue = List.of();
        }
        return all;
    }

    /** Restores the order of the heap after an error. */
    void rebuild() {
        for (int index = this.size / 2; index-- > 0; ) {
            Waiter waiter = this.heap[index];
            if (waiter != null) {
                moveDown(waiter, index);
            }
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
            this.heap[index] = above;
            above.heapIndex = index;
            index = parent;
        }
        this.heap[index] = waiter;
        waiter.heapIndex = index;
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
            this.heap[index] = below;
            below.heapIndex = index;
            index = child;
        }
        this.heap[index] = waiter;
        waiter.heapIndex = index;
    }
}

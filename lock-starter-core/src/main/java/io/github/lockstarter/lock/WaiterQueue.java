package io.github.lockstarter.lock;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one lock in the order of their arrival, which are also ordered by the times at which something is due
 * for them. Entering and leaving take O(log n). The links are fields of the waiters, and a single waiter needs no heap.
 *
 * <p>Any method call can fail if memory is exhausted. Therefore a waiter enters and leaves by writes of fields. A
 * waiter that leaves may stay in the heap until it would be the first there, or until the heap consists of such
 * waiters by half. Not thread-safe.
 */
final class WaiterQueue {

    /** The shared queue of locks without waiters that are new or were renewed. It is never changed. */
    static final WaiterQueue NONE = new WaiterQueue();

    private static final Comparator<Waiter> BY_TIME = Comparator.comparingLong(waiter -> waiter.dueAt);

    /** The first waiter, or {@code null} if the queue is empty. Only this class changes it. */
    @Nullable
    Waiter first;

    private @Nullable Waiter last;

    private int size;

    /** All waiters, and some that have left, or {@code null} as long as there is at most one waiter at a time. */
    private @Nullable PriorityQueue<Waiter> heap;

    private List<Waiter> overdue = List.of();

    /** Returns whether at least this number of waiters count. Takes O(1) if there are fewer, otherwise O(limit). */
    boolean isFull(int limit) {
        int missing = limit;
        for (Waiter waiter = this.first; waiter != null && missing > 0 && this.size >= limit; waiter = waiter.next) {
            missing -= waiter.isWaiting ? 1 : 0;
        }
        return missing == 0;
    }

    /** Returns the waiter for which something is due first, or {@code null} if the queue is empty. */
    @Nullable
    Waiter nextDue() {
        PriorityQueue<Waiter> all = this.heap;
        if (all == null) {
            return this.first;
        }
        Waiter next = all.peek();
        while (next != null && !next.isQueued) {
            all.poll();
            next = all.peek();
        }
        return next;
    }

    /**
     * Returns the time at which something is due for {@link #nextDue}, or {@link Moment#NEVER} if the queue is empty.
     */
    long dueAt() {
        Waiter next = this.heap != null ? nextDue() : this.first;
        return next != null ? next.dueAt : Moment.NEVER;
    }

    void add(Waiter waiter, long dueAt) {
        waiter.dueAt = dueAt;
        // The heap allocates memory, so it precedes all other changes. The waiter is queued only after them.
        PriorityQueue<Waiter> all = this.heap;
        if (all == null && this.first != null) {
            all = new PriorityQueue<>(BY_TIME);
            all.add(this.first);
        }
        if (all != null) {
            all.add(waiter);
            this.heap = all;
        }
        Waiter before = this.last;
        waiter.previous = before;
        if (before == null) {
            this.first = waiter;
        } else {
            before.next = waiter;
        }
        this.last = waiter;
        waiter.isQueued = true;
        this.size++;
    }

    /** Removes a waiter. Has no effect if the waiter is not in the queue. */
    void remove(Waiter waiter) {
        if (!waiter.isQueued) {
            return;
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
        waiter.isQueued = false;
        if (--this.size == 0) {
            this.heap = null;
            if (!this.overdue.isEmpty()) {
                this.overdue = List.of();
            }
        } else if (this.heap != null && this.heap.size() > 2 * this.size) {
            // In contrast to removeIf(), this allocates nothing.
            this.heap.clear();
            for (Waiter each = this.first; each != null; each = each.next) {
                this.heap.add(each);
            }
        }
    }

    /** Sets a later time at which something is due for {@link #nextDue}. */
    void postpone(long dueAt) {
        Waiter waiter = Objects.requireNonNull(nextDue());
        PriorityQueue<Waiter> all = this.heap;
        if (all != null) {
            all.poll();
        }
        waiter.dueAt = dueAt;
        if (all != null) {
            all.add(waiter);
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
}

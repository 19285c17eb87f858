package io.github.lockstarter.lease.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One queue for each lock that is held or wanted in this JVM, in the order of arrival: the first node asks the store or
 * has the lock, the others wait behind it. So each JVM is one contender in the store, however many threads wait. A queue
 * exists while it has nodes.
 *
 * <p>Implementation note. Every change of a queue is one {@code compute} of the map and so atomic for its lock; a node
 * that it takes out of the waiting ones <em>will</em> be called, and a node that has withdrawn will not. The call itself
 * always happens outside of such a step, because it runs code of the waiter. Between the two, a waiter that gives up
 * finds that it is too late to withdraw, waits for the call and passes it on. Races that the steps close:
 *
 * <ul>
 *   <li>time-out, interrupt or cancellation against the call: {@link #withdraw} and {@link #end} exclude each other;
 *   <li>a loss declared by the watchdog against the owner's release: both end the same node, and only one of them finds
 *       it first in its queue;
 *   <li>a message about the ticket against the change of the first node: the ticket is set within the step, and
 *       {@link #forFirst} looks again if the first node has changed.
 * </ul>
 *
 * <p>The idea of queueing the contenders of one process before the shared lock is that of cohort locks (Dice, Marathe and
 * Shavit, 2012).
 *
 * @param <G> type of grants
 */
public final class LocalQueues<G> {

    private final ConcurrentMap<String, QueueNode<G>> firsts = new ConcurrentHashMap<>();

    private final Supplier<LineTicket> tickets;

    /** Creates queues whose first nodes get a ticket of that supplier. */
    public LocalQueues(Supplier<LineTicket> tickets) {
        this.tickets = tickets;
    }

    /** Joins the queue of the lock; the node is called at once if it is the first. */
    public QueueNode<G> enter(String lockName, @Nullable WaitingRequest waiter) {
        QueueNode<G> node = new QueueNode<>(lockName, waiter);
        QueueNode<G> first = this.firsts.compute(lockName, (name, present) -> {
            if (present == null) {
                return node;
            }
            ArrayDeque<QueueNode<G>> behind = present.behind();
            if (behind == null) {
                behind = new ArrayDeque<>();
                present.setBehind(behind);
            }
            behind.add(node);
            return present;
        });
        if (first == node) {
            node.callToAsk(this.tickets.get());
        }
        return node;
    }

    /** Leaves the queue before the call; returns false if it is too late: the call has been made or is being made. */
    public boolean withdraw(QueueNode<G> node) {
        boolean[] withdrawn = new boolean[1];
        this.firsts.computeIfPresent(node.lockName(), (name, first) -> {
            ArrayDeque<QueueNode<G>> behind = first.behind();
            withdrawn[0] = behind != null && behind.remove(node);
            return first;
        });
        if (withdrawn[0]) {
            // It will not be called, and no thread may wait for that.
            node.cancel(false);
        }
        return withdrawn[0];
    }

    /** Removes the first node, which gives up; the next one asks under its ticket. Returns false if there is none. */
    public boolean leave(QueueNode<G> node, LineTicket ticket) {
        QueueNode<G> next = end(node);
        if (next != null) {
            next.callToAsk(ticket);
        }
        return next != null;
    }

    /** Removes the first node; the next one asks under a ticket of its own. Does nothing if it is not the first. */
    void leave(QueueNode<G> node) {
        QueueNode<G> next = end(node);
        if (next != null) {
            next.callToAsk(this.tickets.get());
        }
    }

    /** Removes the first node and returns the next one, which the caller must call; null: there is none. */
    @Nullable
    public QueueNode<G> end(QueueNode<G> node) {
        return endIf(node, null);
    }

    /** As {@link #end}, but does nothing unless the next waiter matches. */
    @Nullable
    public QueueNode<G> endFor(QueueNode<G> node, Predicate<QueueNode<G>> kind) {
        return node.isLast() ? null : endIf(node, kind);
    }

    private @Nullable QueueNode<G> endIf(QueueNode<G> node, @Nullable Predicate<QueueNode<G>> kind) {
        QueueNode<G>[] next = newArray();
        this.firsts.computeIfPresent(node.lockName(), (name, first) -> {
            if (first != node) {
                return first;
            }
            ArrayDeque<QueueNode<G>> behind = node.behind();
            QueueNode<G> candidate = behind != null ? behind.peek() : null;
            if (kind != null && (candidate == null || !kind.test(candidate))) {
                return first;
            }
            node.setBehind(null);
            // In this step and not with the call: a message about the ticket may arrive at any time.
            if (candidate != null) {
                candidate.prepare(node.ticket());
            }
            if (behind == null || candidate == null) {
                return null;
            }
            behind.remove();
            candidate.setBehind(behind);
            next[0] = candidate;
            return candidate;
        });
        return next[0];
    }

    /** Returns the node behind the first one at this moment; null: there is none. */
    @Nullable
    public QueueNode<G> nextBehind(QueueNode<G> node) {
        if (node.isLast()) {
            return null;
        }
        QueueNode<G>[] next = newArray();
        this.firsts.computeIfPresent(node.lockName(), (name, first) -> {
            ArrayDeque<QueueNode<G>> behind = node.behind();
            next[0] = behind != null ? behind.peek() : null;
            return first;
        });
        return next[0];
    }

    /** Returns the first node of the queue: that of the owner, or of the waiter that asks the store; null: there is none. */
    @Nullable
    public QueueNode<G> first(String lockName) {
        return this.firsts.get(lockName);
    }

    /** Notifies the first node of something about its ticket, if it has one. */
    public void forFirst(String lockName, BiConsumer<QueueNode<G>, LineTicket> notification) {
        QueueNode<G> first = first(lockName);
        QueueNode<G> notified = null;
        // Again if the ticket has passed to another node, whose waiter may have begun to wait before the notification.
        while (first != null && first != notified) {
            LineTicket ticket = first.ticket();
            if (ticket != null) {
                notification.accept(first, ticket);
            }
            notified = first;
            first = first(lockName);
        }
    }

    /** Lets the first node of each queue ask the store again. */
    public void wakeAll() {
        this.firsts
                .keySet()
                .forEach(name -> forFirst(name, (first, ticket) -> {
                    ticket.notice();
                    first.wake();
                }));
    }

    /** Fails all nodes that wait behind a first one, and wakes the first ones. */
    public void failAll(RuntimeException cause) {
        List<QueueNode<G>> all = new ArrayList<>();
        this.firsts
                .keySet()
                .forEach(name -> this.firsts.computeIfPresent(name, (key, first) -> {
                    ArrayDeque<QueueNode<G>> behind = first.behind();
                    if (behind != null) {
                        all.addAll(behind);
                        behind.clear();
                    }
                    return first;
                }));
        all.forEach(node -> node.completeExceptionally(cause));
        wakeAll();
    }

    /** Visits the first node of each queue; weakly consistent. */
    public void forEach(Consumer<QueueNode<G>> visitor) {
        this.firsts.values().forEach(visitor);
    }

    /** Returns what the function finds in a queue, from its first node on, while the queue cannot change; null: nothing. */
    public <T> @Nullable T inspect(String lockName, Function<QueueNode<G>, @Nullable T> inspection) {
        List<T> found = new ArrayList<>(1);
        this.firsts.computeIfPresent(lockName, (name, first) -> {
            T result = inspection.apply(first);
            if (result != null) {
                found.add(result);
            }
            return first;
        });
        return found.isEmpty() ? null : found.get(0);
    }

    /** Returns the node of a grant; null if its node has left the queue already, as after a loss. */
    @Nullable
    public QueueNode<G> nodeOf(String lockName, G grant) {
        QueueNode<G> first = first(lockName);
        return first != null && first.grant() == grant ? first : null;
    }

    /** Removes the node of a grant, as {@link #leave(QueueNode)}; does nothing if it has left already. */
    public void leave(String lockName, G grant) {
        QueueNode<G> node = nodeOf(lockName, grant);
        if (node != null) {
            leave(node);
        }
    }

    @SuppressWarnings("unchecked") // an array of a generic type cannot be created
    private QueueNode<G>[] newArray() {
        return (QueueNode<G>[]) new QueueNode<?>[1];
    }

    /** Creates a ticket under which no node asks yet. */
    public LineTicket newTicket() {
        return this.tickets.get();
    }

    boolean isEmpty() {
        return this.firsts.isEmpty();
    }
}

package io.github.lockstarter.lease.queue;

import io.github.lockstarter.store.GrantKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One queue for each lock that is held or wanted in this JVM, in the order of arrival: the first node asks the store or
 * has the lock, the others wait behind it. So each JVM is one contender in the store, however many threads wait. A queue
 * exists while it has nodes. Readers of a lock and permits of each kind have queues of their own, whose first node leaves
 * as soon as it has its grant.
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

    private final ConcurrentMap<Object, QueueNode<G>> firsts = new ConcurrentHashMap<>();

    /** The first nodes of queues of kinds that can share a lock, by {@link SharedKey}. */
    private final ConcurrentMap<Object, QueueNode<G>> sharedFirsts = new ConcurrentHashMap<>();

    private final Function<GrantKind, LineTicket> tickets;

    /** Creates queues whose first nodes get a ticket of that function. */
    public LocalQueues(Function<GrantKind, LineTicket> tickets) {
        this.tickets = tickets;
    }

    private ConcurrentMap<Object, QueueNode<G>> mapOf(Object key) {
        return key instanceof SharedKey ? this.sharedFirsts : this.firsts;
    }

    /** Joins the queue of the lock; the node is called at once if it is the first. */
    public QueueNode<G> enter(String lockName, @Nullable WaitingRequest waiter) {
        Object queue = waiter != null ? SharedKey.of(lockName, waiter.kind()) : lockName;
        QueueNode<G> node = new QueueNode<>(queue, waiter);
        QueueNode<G> first = mapOf(queue).compute(queue, (key, present) -> {
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
            node.callToAsk(newTicket(node));
        }
        return node;
    }

    /** Returns a node that is in no queue: with its grant, or called to ask under a ticket of its own. */
    public QueueNode<G> outside(String lockName, WaitingRequest waiter, @Nullable G grant) {
        QueueNode<G> node = new QueueNode<>(SharedKey.of(lockName, waiter.kind()), waiter);
        if (grant != null) {
            node.complete(grant);
        } else {
            node.callToAsk(newTicket(node));
        }
        return node;
    }

    /** Leaves the queue before the call; returns false if it is too late: the call has been made or is being made. */
    public boolean withdraw(QueueNode<G> node) {
        boolean[] withdrawn = new boolean[1];
        mapOf(node.key()).computeIfPresent(node.key(), (key, first) -> {
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
            next.callToAsk(newTicket(next));
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
        mapOf(node.key()).computeIfPresent(node.key(), (key, first) -> {
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
        mapOf(node.key()).computeIfPresent(node.key(), (key, first) -> {
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

    /** Returns the first node of the queue for that kind; null: there is none. */
    @Nullable
    public QueueNode<G> first(String lockName, GrantKind kind) {
        Object key = SharedKey.of(lockName, kind);
        return mapOf(key).get(key);
    }

    /** Notifies the first nodes of all queues of the lock of something about their tickets. */
    public void forAllFirst(String lockName, BiConsumer<QueueNode<G>, LineTicket> notification) {
        forFirst(lockName, GrantKind.EXCLUSIVE, notification);
        // Few, because their nodes leave with their grants.
        for (Object each : this.sharedFirsts.keySet()) {
            if (each instanceof SharedKey shared && shared.lockName().equals(lockName)) {
                forFirst(lockName, shared.kind(), notification);
            }
        }
    }

    /** Notifies the first node of the queue for that kind of something about its ticket, if it has one. */
    public void forFirst(String lockName, GrantKind kind, BiConsumer<QueueNode<G>, LineTicket> notification) {
        Object key = SharedKey.of(lockName, kind);
        ConcurrentMap<Object, QueueNode<G>> map = mapOf(key);
        QueueNode<G> first = map.get(key);
        QueueNode<G> notified = null;
        // Again if the ticket has passed to another node, whose waiter may have begun to wait before the notification.
        while (first != null && first != notified) {
            LineTicket ticket = first.ticket();
            if (ticket != null) {
                notification.accept(first, ticket);
            }
            notified = first;
            first = map.get(key);
        }
    }

    /** Lets the first node of each queue ask the store again. */
    public void wakeAll() {
        forEach(node -> forFirst(node.lockName(), node.kind(), (first, ticket) -> {
            ticket.notice();
            first.wake();
        }));
    }

    /** Fails all nodes that wait behind a first one, and wakes the first ones. */
    public void failAll(RuntimeException cause) {
        List<QueueNode<G>> all = new ArrayList<>();
        forEach(node -> mapOf(node.key()).computeIfPresent(node.key(), (key, first) -> {
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
        this.sharedFirsts.values().forEach(visitor);
    }

    /** Visits each queue of the lock by its first node, while that queue cannot change. */
    public void inspectAll(String lockName, Consumer<QueueNode<G>> inspection) {
        inspect(lockName, inspection);
        this.sharedFirsts.keySet().forEach(key -> {
            if (key instanceof SharedKey shared && shared.lockName().equals(lockName)) {
                inspect(key, inspection);
            }
        });
    }

    /** Visits the first node of the queue in which the node is, if it still exists, while that queue cannot change. */
    public void inspectQueueOf(QueueNode<G> node, Consumer<QueueNode<G>> inspection) {
        inspect(node.key(), inspection);
    }

    private void inspect(Object queue, Consumer<QueueNode<G>> inspection) {
        mapOf(queue).computeIfPresent(queue, (key, first) -> {
            inspection.accept(first);
            return first;
        });
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

    /** Creates a ticket of the node's kind, under which no node asks yet. */
    public LineTicket newTicket(QueueNode<G> node) {
        return this.tickets.apply(node.kind());
    }

    boolean isEmpty() {
        return this.firsts.isEmpty() && this.sharedFirsts.isEmpty();
    }
}

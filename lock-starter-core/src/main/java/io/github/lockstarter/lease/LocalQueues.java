package io.github.lockstarter.lease;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * One queue for each lock that anybody in this JVM holds or wants: whoever has the turn may ask the store, the others
 * wait in the order of their arrival. So a lock has one contender per JVM. A queue is there while somebody is in it.
 */
final class LocalQueues {

    /** Changed only inside {@code compute}, which makes each step atomic for its lock. */
    private static final class Queue {

        private volatile @Nullable Turn first;

        private final ArrayDeque<Turn> waiting = new ArrayDeque<>(2);
    }

    private final ConcurrentMap<String, Queue> queues = new ConcurrentHashMap<>();

    /** Joins the queue; the turn is complete when it has come, which may be at once. */
    Turn enter(String lockName) {
        Turn turn = new Turn(this, lockName);
        this.queues.compute(lockName, (name, present) -> {
            Queue queue = present != null ? present : new Queue();
            if (queue.first == null) {
                queue.first = turn;
            } else {
                queue.waiting.add(turn);
            }
            return queue;
        });
        if (hasTurn(turn)) {
            turn.complete(null);
        }
        return turn;
    }

    /** Leaves the queue, wherever in it the turn stands; the next one gets the turn if this one had it. */
    void leave(Turn turn) {
        Queue queue = this.queues.computeIfPresent(turn.lockName(), (name, present) -> {
            if (present.first == turn) {
                present.first = present.waiting.poll();
            } else {
                present.waiting.remove(turn);
            }
            return present.first != null ? present : null;
        });
        Turn next = queue != null ? queue.first : null;
        if (next != null) {
            next.complete(null);
        }
    }

    /** Whose turn it is: the holder's, or that of the one who asks the store for all others. */
    @Nullable
    Turn first(String lockName) {
        Queue queue = this.queues.get(lockName);
        return queue != null ? queue.first : null;
    }

    /** Lets the contender for that lock look again. */
    void wake(String lockName) {
        Turn first = first(lockName);
        if (first != null) {
            first.wake();
        }
    }

    /** Lets every contender look again. */
    void wakeAll() {
        this.queues.keySet().forEach(this::wake);
    }

    /** Fails all who wait for their turn, and lets the contenders look again. */
    void failAll(RuntimeException cause) {
        List<Turn> all = new ArrayList<>();
        this.queues
                .keySet()
                .forEach(name -> this.queues.computeIfPresent(name, (key, queue) -> {
                    all.addAll(queue.waiting);
                    return queue;
                }));
        all.forEach(turn -> turn.completeExceptionally(cause));
        wakeAll();
    }

    boolean isEmpty() {
        return this.queues.isEmpty();
    }

    private boolean hasTurn(Turn turn) {
        Queue queue = this.queues.get(turn.lockName());
        return queue != null && queue.first == turn;
    }
}

package io.github.lockstarter.lease;

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
 * One queue for each lock that anybody in this JVM holds or wants: the first may ask the store or has the lock, the
 * others wait behind it in the order of their arrival. So a lock has one contender per JVM. A queue is there while
 * somebody is in it.
 *
 * <p>Each step is atomic for its lock: who has been taken out of those who wait will be called, and who has withdrawn
 * will not. Nobody is called inside of a step.
 */
final class LocalQueues {

    private final ConcurrentMap<String, Turn> firsts = new ConcurrentHashMap<>();

    private final Supplier<Place> places;

    LocalQueues(Supplier<Place> places) {
        this.places = places;
    }

    /** Joins the queue; the turn is complete when it has come, which may be at once. */
    Turn enter(String lockName, @Nullable Acquisition acquisition) {
        Turn turn = new Turn(lockName, acquisition);
        Turn first = this.firsts.compute(lockName, (name, present) -> {
            if (present == null) {
                return turn;
            }
            ArrayDeque<Turn> behind = present.behind();
            if (behind == null) {
                behind = new ArrayDeque<>();
                present.setBehind(behind);
            }
            behind.add(turn);
            return present;
        });
        if (first == turn) {
            turn.callToAsk(this.places.get());
        }
        return turn;
    }

    /** Leaves the queue before being called; false if it is too late for that: the call has come or is being made. */
    boolean withdraw(Turn turn) {
        boolean[] withdrawn = new boolean[1];
        this.firsts.computeIfPresent(turn.lockName(), (name, first) -> {
            ArrayDeque<Turn> behind = first.behind();
            withdrawn[0] = behind != null && behind.remove(turn);
            return first;
        });
        if (withdrawn[0]) {
            // Nobody else will complete it, and nobody shall wait for that.
            turn.cancel(false);
        }
        return withdrawn[0];
    }

    /** Ends the turn of the first, which did not get the lock; the next one asks from its place. False: there is none. */
    boolean leave(Turn turn, Place place) {
        Turn next = end(turn);
        if (next != null) {
            next.callToAsk(place);
        }
        return next != null;
    }

    /** Ends the turn of the first; the next one asks from a place of its own. Does nothing if it has ended. */
    void leave(Turn turn) {
        Turn next = end(turn);
        if (next != null) {
            next.callToAsk(this.places.get());
        }
    }

    /** Ends the turn of the first, and takes out the next one, which the caller must call; null: there is none. */
    @Nullable
    Turn end(Turn turn) {
        return endIf(turn, null);
    }

    /** As {@link #end}, but does nothing unless the next one is of that kind. */
    @Nullable
    Turn endFor(Turn turn, Predicate<Turn> kind) {
        return turn.isLast() ? null : endIf(turn, kind);
    }

    private @Nullable Turn endIf(Turn turn, @Nullable Predicate<Turn> kind) {
        Turn[] next = new Turn[1];
        this.firsts.computeIfPresent(turn.lockName(), (name, first) -> {
            if (first != turn) {
                return first;
            }
            ArrayDeque<Turn> behind = turn.behind();
            Turn candidate = behind != null ? behind.peek() : null;
            if (kind != null && (candidate == null || !kind.test(candidate))) {
                return first;
            }
            turn.setBehind(null);
            // In this step and not in the call: a message about the place may come at any time.
            if (candidate != null) {
                candidate.prepare(turn.place());
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

    /** Who waits next behind that one, as it is at this moment; null: nobody does. */
    @Nullable
    Turn nextBehind(Turn turn) {
        if (turn.isLast()) {
            return null;
        }
        Turn[] next = new Turn[1];
        this.firsts.computeIfPresent(turn.lockName(), (name, first) -> {
            ArrayDeque<Turn> behind = turn.behind();
            next[0] = behind != null ? behind.peek() : null;
            return first;
        });
        return next[0];
    }

    /** Whose turn it is: the holder's, or that of the one who asks the store for all others. */
    @Nullable
    Turn first(String lockName) {
        return this.firsts.get(lockName);
    }

    /** Tells the first of that queue something about its place, if it has one. */
    void forFirst(String lockName, BiConsumer<Turn, Place> news) {
        Turn first = first(lockName);
        Turn told = null;
        // Again if the place went to somebody else meanwhile, who may have begun to wait before it was noticed.
        while (first != null && first != told) {
            Place place = first.place();
            if (place != null) {
                news.accept(first, place);
            }
            told = first;
            first = first(lockName);
        }
    }

    /** Lets every contender look again. */
    void wakeAll() {
        this.firsts
                .keySet()
                .forEach(name -> forFirst(name, (first, place) -> {
                    place.notice();
                    first.wake();
                }));
    }

    /** Fails all who wait for their turn, and lets the contenders look again. */
    void failAll(RuntimeException cause) {
        List<Turn> all = new ArrayList<>();
        this.firsts
                .keySet()
                .forEach(name -> this.firsts.computeIfPresent(name, (key, first) -> {
                    ArrayDeque<Turn> behind = first.behind();
                    if (behind != null) {
                        all.addAll(behind);
                        behind.clear();
                    }
                    return first;
                }));
        all.forEach(turn -> turn.completeExceptionally(cause));
        wakeAll();
    }

    /** Shows the first of each queue, as they come and go meanwhile. */
    void forEach(Consumer<Turn> look) {
        this.firsts.values().forEach(look);
    }

    /** Looks at a queue, from its first on, in one step; null: there is none, or nothing to be seen. */
    <T> @Nullable T look(String lockName, Function<Turn, @Nullable T> look) {
        List<T> seen = new ArrayList<>(1);
        this.firsts.computeIfPresent(lockName, (name, first) -> {
            T result = look.apply(first);
            if (result != null) {
                seen.add(result);
            }
            return first;
        });
        return seen.isEmpty() ? null : seen.get(0);
    }

    Place newPlace() {
        return this.places.get();
    }

    boolean isEmpty() {
        return this.firsts.isEmpty();
    }
}

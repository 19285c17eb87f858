package io.github.lockstarter.lease;

import java.util.ArrayDeque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One who waits in the local queue of a lock, and from its call on the first of it. It is called by its completion: with
 * a grant that was handed over, or with null, to ask the store from its place. The turn ends with the grant, or when the
 * first gives up.
 */
final class Turn extends CompletableFuture<@Nullable Grant> {

    private final String lockName;

    /** Who waits; null once it has its grant. */
    private volatile @Nullable Acquisition acquisition;

    private volatile @Nullable Place place;

    private volatile @Nullable Runnable onWake;

    /** What it holds; also after the end of the grant, but then it is the first of no queue. */
    private volatile @Nullable Grant grant;

    /** Those who come after; only the first of a queue has any. Changed by {@link LocalQueues} in its atomic steps. */
    private volatile @Nullable ArrayDeque<Turn> behind;

    Turn(String lockName, @Nullable Acquisition acquisition) {
        this.lockName = lockName;
        this.acquisition = acquisition;
    }

    String lockName() {
        return this.lockName;
    }

    @Nullable
    Acquisition acquisition() {
        return this.acquisition;
    }

    @Nullable
    ArrayDeque<Turn> behind() {
        return this.behind;
    }

    void setBehind(@Nullable ArrayDeque<Turn> behind) {
        this.behind = behind;
    }

    /** Whether nobody seems to wait behind this one; whoever comes in this moment is found when the turn ends. */
    boolean isLast() {
        ArrayDeque<Turn> all = this.behind;
        return all == null || all.isEmpty();
    }

    /** From where the first of the queue asks the store; null before it is called. */
    @Nullable
    Place place() {
        return this.place;
    }

    /** A message about the place may come from now on. */
    void prepare(@Nullable Place place) {
        this.place = place;
    }

    /** It is this one's turn: it asks the store, from that place. */
    void callToAsk(Place place) {
        this.place = place;
        complete(null);
    }

    /** That grant is this turn's from now on. */
    void granted(Grant granted) {
        this.grant = granted;
    }

    /** What it holds or held; null before that. */
    @Nullable
    Grant grant() {
        return this.grant;
    }

    /** The turn has its grant: what was needed to wait is needed no more. */
    void settle() {
        this.acquisition = null;
        this.place = null;
        this.onWake = null;
    }

    /** What to do when the lock may be free; must not block. Null: nothing, nobody waits any more. */
    void onWake(@Nullable Runnable action) {
        this.onWake = action;
    }

    /** Whether somebody waits to be woken. */
    boolean isWaiting() {
        return this.onWake != null;
    }

    void wake() {
        Runnable action = this.onWake;
        if (action != null) {
            action.run();
        }
    }

    /** The grant it was called with; null if it is to ask. Waits for a call that is being made. */
    @Nullable
    Grant awaitCall() {
        try {
            return join();
        } catch (CompletionException | CancellationException ex) {
            return null;
        }
    }
}

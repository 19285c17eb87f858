package io.github.lockstarter.lease.queue;

import io.github.lockstarter.store.GrantKind;
import java.util.ArrayDeque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One waiter in the local queue of a lock, and from its call on the first of that queue. It is called by its completion:
 * with a grant that was handed over, or with null to ask the store under its {@link LineTicket}. The node leaves the
 * queue when its grant ends, or when the waiter gives up.
 *
 * @param <G> type of grants
 */
public final class QueueNode<G> extends CompletableFuture<@Nullable G> {

    /** The name of the lock, or a {@link SharedKey}. */
    private final Object key;

    /** The waiter; null once it has its grant. */
    private volatile @Nullable WaitingRequest waiter;

    private volatile @Nullable LineTicket ticket;

    private volatile @Nullable Runnable onWake;

    /** Set with the grant; still set after its end, but then the node is the first of no queue. */
    private volatile @Nullable G grant;

    /** The nodes behind; only the first of a queue has any. Changed by {@link LocalQueues} in its atomic steps. */
    private volatile @Nullable ArrayDeque<QueueNode<G>> behind;

    QueueNode(Object key, @Nullable WaitingRequest waiter) {
        this.key = key;
        this.waiter = waiter;
    }

    /** Returns the key of the queue. */
    Object key() {
        return this.key;
    }

    public String lockName() {
        return this.key instanceof SharedKey shared ? shared.lockName() : (String) this.key;
    }

    /** Returns what the waiters of the queue request of the lock. */
    public GrantKind kind() {
        return this.key instanceof SharedKey shared ? shared.kind() : GrantKind.EXCLUSIVE;
    }

    /** Returns the acquisition that waits; null once it has its grant. */
    public @Nullable WaitingRequest waiter() {
        return this.waiter;
    }

    /** Returns the nodes behind; only for {@link LocalQueues#inspectAll} and the like, which exclude changes. */
    public @Nullable ArrayDeque<QueueNode<G>> behind() {
        return this.behind;
    }

    void setBehind(@Nullable ArrayDeque<QueueNode<G>> behind) {
        this.behind = behind;
    }

    /** Returns whether no node seems to be behind this one; a node that arrives at this moment is found later. */
    public boolean isLast() {
        ArrayDeque<QueueNode<G>> all = this.behind;
        return all == null || all.isEmpty();
    }

    /** Returns the ticket under which the first of the queue asks the store; null before it is called. */
    public @Nullable LineTicket ticket() {
        return this.ticket;
    }

    /** Sets the ticket before the call, because a message about it may arrive from now on. */
    public void prepare(@Nullable LineTicket prepared) {
        this.ticket = prepared;
    }

    /** Calls the waiter to ask the store under that ticket. */
    public void callToAsk(LineTicket called) {
        this.ticket = called;
        complete(null);
    }

    /** Notes the grant of the waiter. */
    public void granted(G granted) {
        this.grant = granted;
    }

    /** Returns the grant; null before it is there. */
    public @Nullable G grant() {
        return this.grant;
    }

    /** Releases what was needed to wait, once the waiter has its grant. */
    public void settle() {
        this.waiter = null;
        this.ticket = null;
        this.onWake = null;
    }

    /** Sets what to do when the lock may be free, which must not block; null: nothing, the wait is over. */
    public void onWake(@Nullable Runnable action) {
        this.onWake = action;
    }

    /** Returns whether the waiter can be woken. */
    public boolean isWaiting() {
        return this.onWake != null;
    }

    /** Wakes the waiter if it waits for the store. */
    public void wake() {
        Runnable action = this.onWake;
        if (action != null) {
            action.run();
        }
    }

    /** Returns the grant with which the waiter was called, or null if it is to ask; waits for a call in progress. */
    public @Nullable G awaitCall() {
        try {
            return join();
        } catch (CompletionException | CancellationException ex) {
            return null;
        }
    }
}

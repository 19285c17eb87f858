package io.github.lockstarter.lock;

import io.github.lockstarter.store.Command;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Decides which commands of one JVM are written now and which wait in memory, so that a burst of acquisitions delays no
 * renewal and no release, and no command times out in a queue of the client.
 *
 * <p>At most {@link #SIZE} commands that were sent without a blocked thread have no outcome. Renewals and downgrades
 * are not counted: they are few, because many share one command, and are written at once. Releases precede acquires,
 * and acquires of ids that stand in the line of the store precede new ones: their places have deadlines. An acquire
 * that waits can be withdrawn, so that nothing of it reaches the store. Has no thread and no mutex; its caller guards
 * it.
 */
public final class CommandWindow {

    /**
     * The rate of a burst of 50,000 acquisitions on one machine was the same with 64, 256, 1,024 and all of them under
     * way. At a distance of 20 ms, 256 are 12,800 commands a second.
     */
    public static final int SIZE = 256;

    private final int size;

    // Each allocates before it changes: a command that is added is not lost if there is no memory.

    private final Queue<Sent> releases = new ConcurrentLinkedQueue<>();

    /**
     * Acquires of ids that stand in the line of the store: they keep their place, or claim a grant. With those that
     * were withdrawn.
     */
    private final Queue<Sent> polls = new ConcurrentLinkedQueue<>();

    /** All other acquires, with those that were withdrawn. */
    private final Queue<Sent> acquires = new ConcurrentLinkedQueue<>();

    private int waiting;

    /** Commands without an outcome. */
    private int open;

    public CommandWindow(int size) {
        this.size = size;
    }

    /** Returns whether commands of that kind have to enter. */
    public static boolean counts(Sent sent) {
        return sent.command instanceof Command.Acquire || sent.command instanceof Command.Release;
    }

    /** Returns whether the command is written now; otherwise {@link #next} returns it later. */
    public boolean enter(Sent sent) {
        boolean isAcquire = sent.command instanceof Command.Acquire;
        boolean isPoll = isAcquire && sent.acquisition.standsInLine();
        if (this.open < this.size && this.releases.isEmpty() && (this.waiting == 0 || !isAcquire || isPoll)) {
            this.open++;
            return true;
        }
        if (isAcquire) {
            (isPoll ? this.polls : this.acquires).add(sent);
            this.waiting++;
            sent.isWaiting = true;
            sent.nextWaiting = sent.acquisition.waiting;
            sent.acquisition.waiting = sent;
            sent.acquisition.waitingAttempts++;
        } else {
            this.releases.add(sent);
        }
        return false;
    }

    /** A command that was written has its outcome. */
    public void left() {
        this.open--;
    }

    /** Returns the next command to be written, null if there is none or no room. */
    @Nullable
    public Sent next() {
        if (this.open >= this.size) {
            return null;
        }
        Sent next = this.releases.poll();
        if (next == null) {
            next = nextOf(this.polls);
            next = next != null ? next : nextOf(this.acquires);
            if (next != null) {
                forget(next);
            }
        }
        if (next != null) {
            this.open++;
        }
        return next;
    }

    private static @Nullable Sent nextOf(Queue<Sent> queue) {
        Sent next;
        do {
            next = queue.poll();
        } while (next != null && !next.isWaiting);
        return next;
    }

    private void forget(Sent acquire) {
        this.waiting--;
        acquire.isWaiting = false;
        acquire.acquisition.waitingAttempts--;
        Sent before = acquire.acquisition.waiting;
        if (before == acquire) {
            acquire.acquisition.waiting = acquire.nextWaiting;
            return;
        }
        // An acquisition that has asked twice
        while (before != null && before.nextWaiting != acquire) {
            before = before.nextWaiting;
        }
        if (before != null) {
            before.nextWaiting = acquire.nextWaiting;
        }
    }

    /** Withdraws the acquires of an acquisition that wait, and returns their number. They have no outcome. */
    public int withdraw(Acquisition acquisition) {
        int withdrawn = acquisition.waitingAttempts;
        for (Sent each = acquisition.waiting; each != null; each = each.nextWaiting) {
            each.isWaiting = false;
        }
        acquisition.waiting = null;
        acquisition.waitingAttempts = 0;
        this.waiting -= withdrawn;
        return withdrawn;
    }

    /** Returns the number of acquires that wait. */
    public int waiting() {
        return this.waiting;
    }
}

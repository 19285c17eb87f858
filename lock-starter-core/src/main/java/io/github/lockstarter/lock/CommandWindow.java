package io.github.lockstarter.lock;

import io.github.lockstarter.store.Command;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Decides which commands of one JVM are written immediately and which wait in memory. A burst of acquisitions then
 * delays no renewal and no release, and no command times out in a queue of the client.
 *
 * <p>At most {@link #SIZE} commands that were sent without a blocked thread have no outcome. Renewals and downgrades
 * are written immediately and do not count, because they are few: many renewals share one command. Releases precede
 * acquires. Acquires of ids that stand in the line of the store precede new ones, because their places have deadlines.
 * An acquire that waits can be withdrawn, and then leaves no trace in the store. This class has no thread and no mutex;
 * its caller must guard it.
 */
public final class CommandWindow {

    /**
     * Maximum number of commands without an outcome. The rate of a burst of 50,000 acquisitions on one machine was the
     * same with 64, 256, 1,024 and an unlimited number of commands. With a round trip of 20 ms, 256 commands are 12,800
     * commands per second.
     */
    public static final int SIZE = 256;

    private final int size;

    // Each queue allocates before it changes, so no queued command is lost if memory is exhausted.

    private final Queue<Sent> releases = new ConcurrentLinkedQueue<>();

    /**
     * Acquires of ids that stand in the line of the store: they keep their place or claim a grant. The queue may
     * contain withdrawn acquires.
     */
    private final Queue<Sent> polls = new ConcurrentLinkedQueue<>();

    /** All other acquires. The queue may contain withdrawn acquires. */
    private final Queue<Sent> acquires = new ConcurrentLinkedQueue<>();

    private int waiting;

    /** Number of written commands without an outcome. */
    private int open;

    public CommandWindow(int size) {
        this.size = size;
    }

    /** Returns whether the window limits commands of this type. */
    public static boolean counts(Sent sent) {
        return sent.command instanceof Command.Acquire || sent.command instanceof Command.Release;
    }

    /** Returns whether the command is written immediately. Otherwise {@link #next} returns it later. */
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

    /** Notes that a written command has its outcome. */
    public void left() {
        this.open--;
    }

    /** Returns the next command to be written, or {@code null} if there is none or the window is full. */
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
        // The acquisition has several attempts that wait.
        while (before != null && before.nextWaiting != acquire) {
            before = before.nextWaiting;
        }
        if (before != null) {
            before.nextWaiting = acquire.nextWaiting;
        }
    }

    /**
     * Withdraws the waiting acquires of an acquisition. They have no outcome.
     *
     * @return the number of withdrawn acquires
     */
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

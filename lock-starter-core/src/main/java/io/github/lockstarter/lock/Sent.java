package io.github.lockstarter.lock;

import io.github.lockstarter.store.Command;
import org.jspecify.annotations.Nullable;

/**
 * A command that a {@link LocalLock} wants to be sent. Its outcome must be reported exactly once, by {@link
 * LocalLock#replied} or {@link LocalLock#failed}.
 */
public final class Sent extends Effect {

    public final Command command;

    /** The id that the command is about. */
    public final Acquisition acquisition;

    /** The candidate that a release names; null: none. */
    final @Nullable Acquisition successor;

    /**
     * Not later than it was sent: what the reply proves is counted from here. Changed by the driver when it is written
     * later.
     */
    public Moment at;

    /** Whether it waits in a {@link CommandWindow}, and the next one of the same acquisition. */
    boolean isWaiting;

    @Nullable
    Sent nextWaiting;

    /** Whether the outcome was reported; used by the driver, under the mutex of the lock. */
    public boolean isSettled;

    Sent(Command command, Acquisition acquisition, @Nullable Acquisition successor, Moment at) {
        this.command = command;
        this.acquisition = acquisition;
        this.successor = successor;
        this.at = at;
    }

    @Override
    public void execute(Effects driver) {
        driver.send(this);
    }
}

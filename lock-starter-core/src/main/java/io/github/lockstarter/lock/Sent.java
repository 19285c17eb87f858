package io.github.lockstarter.lock;

import io.github.lockstarter.store.Command;
import org.jspecify.annotations.Nullable;

/**
 * A command that a {@link LocalLock} requests to be sent. Its outcome must be reported exactly once, by {@link
 * LocalLock#replied} or {@link LocalLock#failed}, unless it is withdrawn before it is sent.
 */
public final class Sent extends Effect {

    public final Command command;

    /** The acquisition whose id the command names. */
    public final Acquisition acquisition;

    /** The candidate that a release names as its successor, or {@code null} if there is none. */
    final @Nullable Acquisition successor;

    /**
     * A time that is not later than the sending of the command. What the reply proves is counted from it. The driver
     * updates it when the command is written later.
     */
    public Moment at;

    /** Whether the command waits in a {@link CommandWindow}. */
    boolean isWaiting;

    @Nullable
    Sent nextWaiting;

    /** Whether the outcome was reported. The driver uses it under the mutex of the lock. */
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

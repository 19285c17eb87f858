package io.github.lockstarter.leader;

import io.github.lockstarter.leader.LeadershipRevokedEvent.Reason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of one role in one instance. Not thread-safe: the driver serializes inputs, and effects must not
 * block.
 *
 * <p><strong>Implementation note.</strong> What can go wrong, and the rule against it:
 *
 * <ul>
 *   <li><em>The lease is lost while listeners or beans work.</em> {@link #isLeading} ends with the input, and the
 *       driver also compares the lease with the clock, so that a late notification cannot prolong a leadership. The
 *       revocation enters the same serial queue as the beginning ({@code begin} and {@code end} of {@link Effects}): it
 *       can neither overtake the beginning nor be missing. A beginning that is still running is interrupted.
 *   <li><em>The lock is released while a bean of the role runs.</em> {@code RELEASING} is entered by {@link #ended}
 *       only, which the driver calls when the last bean has stopped and the last guarded call has returned.
 *   <li><em>A bean never stops.</em> After the stop timeout the lease is {@linkplain Effects#abandon abandoned}: it is
 *       not renewed and runs out. The role stays in {@code ENDING}, so that this instance does not contend while its
 *       old bean runs. If the bean stops later, the role continues as usual. A beginning is interrupted first, and has
 *       some time to end.
 *   <li><em>The thread that closes the context works for the role.</em> Neither waits for the other: the lease is
 *       abandoned immediately.
 *   <li><em>A cede, a stop, a failure and a loss race.</em> The first of them ends the epoch; later ones only change
 *       what follows it. So an epoch has one revocation.
 *   <li><em>A grant arrives after the contention was withdrawn, or a timer after its state.</em> Attempts and timers
 *       carry the number of the state in which they began, and are ignored in a later state. The driver releases such a
 *       grant.
 *   <li><em>An error ends the contention for ever.</em> Each state but {@code IDLE} has an input that is certain to
 *       come: a timer, the result of an attempt, the end of the work, or the result of a release. {@code IDLE} is
 *       entered by a stop only.
 * </ul>
 *
 * <pre>
 * IDLE → PAUSED → CONTENDING → LEADING → ENDING → RELEASING → PAUSED, or IDLE after a stop
 *           ↑         │ error
 *           └─────────┘
 * </pre>
 */
final class LeaderRole {

    /** States of a role in one instance. */
    enum State {
        /** Does not contend. */
        IDLE,
        /** Waits for a delay before it contends. */
        PAUSED,
        /** Waits for the lock. */
        CONTENDING,
        /** Is the leader. */
        LEADING,
        /** Is no longer the leader, and its listeners, beans and calls end. */
        ENDING,
        /** Waits for the reply to the release. */
        RELEASING
    }

    /** What the driver must do. An effect is the last step of an input, and may lead to the next input immediately. */
    interface Effects {

        /** Calls {@link LeaderRole#elapsed} with this number after the delay. */
        void schedule(Duration delay, long number);

        /** Requests the lock, and calls {@link LeaderRole#granted} or {@link LeaderRole#refused} with this number. */
        void contend(long number);

        /** Cancels the request; a grant that arrives nevertheless is released. */
        void withdraw();

        /** Publishes the grant and starts the beans behind all earlier work, then calls {@link LeaderRole#begun}. */
        void begin();

        /** Publishes the revocation and stops the beans behind earlier work, then calls {@link LeaderRole#ended}. */
        void end(Reason reason);

        /** Interrupts {@link #begin} if it is still running. */
        void interruptBegin();

        /** Warns that the work of the role takes long; it is the work of the end if that is true. */
        void warn(boolean isEnding);

        /** Ends the renewals and lets the lease run out. */
        void abandon();

        /** Releases the lock, and then calls {@link LeaderRole#released}. */
        void release();
    }

    /**
     * The times of a role.
     *
     * @param contendDelay time before each contention that does not follow a cede or a failure
     * @param retryDelay time before the contention after a cede or a failure
     * @param stopTimeout time in which the work of the role must end
     */
    record Times(Duration contendDelay, Duration retryDelay, Duration stopTimeout) {}

    /** Time beyond the stop timeout in which a beginning that was interrupted must end. */
    static final Duration INTERRUPTION_TIME = Duration.ofSeconds(1);

    private final Times times;

    private final Effects effects;

    private State state = State.IDLE;

    /** Grows with each change of the state. */
    private long number;

    /** Whether this instance shall contend. */
    private boolean wanted;

    /** Whether listeners and beans of the current epoch have begun; meaningful in LEADING and ENDING. */
    private boolean begun;

    /** Whether the lease of the current epoch was abandoned. */
    private boolean abandoned;

    /** Whether the beginning of the current epoch was interrupted at the stop timeout. */
    private boolean interrupted;

    /** Delay of the next contention. */
    private Duration pause;

    LeaderRole(Times times, Effects effects) {
        this.times = times;
        this.effects = effects;
        this.pause = times.contendDelay();
    }

    State state() {
        return this.state;
    }

    /** Returns whether this instance leads, unless its lease has expired by the clock. */
    boolean isLeading() {
        return this.state == State.LEADING;
    }

    /** Returns whether a stop is complete: nothing is left to do, or only the work of a bean that does not end. */
    boolean isAtRest() {
        return this.state == State.IDLE || (this.state == State.ENDING && this.abandoned && !this.wanted);
    }

    /** Contends from now on. */
    void start() {
        this.wanted = true;
        if (this.state == State.IDLE) {
            contendLater(this.times.contendDelay());
        }
    }

    /** Ends the contention, and a leadership. */
    void stop() {
        this.wanted = false;
        if (this.state == State.PAUSED) {
            enter(State.IDLE);
        } else if (this.state == State.CONTENDING) {
            enter(State.IDLE);
            this.effects.withdraw();
        } else {
            endIfLeading(Reason.STOPPED, this.times.contendDelay());
        }
    }

    /**
     * Gives up a leadership.
     *
     * @param delay delay of the next contention, or {@code null} for that after a failure
     * @return false if this instance does not lead
     */
    boolean cede(@Nullable Duration delay) {
        return endIfLeading(Reason.CEDED, delay != null ? delay : this.times.retryDelay());
    }

    /** The lock was granted. Returns false if the grant must be released, because it is no longer awaited. */
    boolean granted(long attempt) {
        if (this.state != State.CONTENDING || attempt != this.number) {
            return false;
        }
        enter(State.LEADING);
        this.begun = false;
        this.abandoned = false;
        this.interrupted = false;
        this.effects.schedule(this.times.stopTimeout(), this.number);
        this.effects.begin();
        return true;
    }

    /** The request failed. Returns false if this instance no longer waits for it. */
    boolean refused(long attempt) {
        if (this.state != State.CONTENDING || attempt != this.number) {
            return false;
        }
        contendLater(this.times.retryDelay());
        return true;
    }

    /** Listeners were notified of the grant, and the beans were started; one of them may have failed. */
    void begun(boolean hasFailed) {
        this.begun = true;
        if (hasFailed) {
            boolean unused = endIfLeading(Reason.FAILED, this.times.retryDelay());
        }
    }

    /** The lease of the current epoch was lost. */
    void lost() {
        if (!endIfLeading(Reason.LOST, this.times.contendDelay()) && this.state != State.ENDING) {
            return;
        }
        if (!this.begun) {
            this.effects.interruptBegin();
        }
    }

    /** The last listener, bean and call of the epoch has ended. */
    void ended() {
        if (this.state == State.ENDING) {
            enter(State.RELEASING);
            this.effects.release();
        }
    }

    /** The lock was released, or its release is repeated by the registry. */
    void released() {
        if (this.state == State.RELEASING) {
            if (this.wanted) {
                contendLater(this.pause);
            } else {
                enter(State.IDLE);
            }
        }
    }

    /** A delay of {@link Effects#schedule} has passed. */
    void elapsed(long timer) {
        if (timer != this.number) {
            return;
        }
        if (this.state == State.PAUSED) {
            enter(State.CONTENDING);
            this.effects.contend(this.number);
        } else if (this.state == State.LEADING && !this.begun) {
            this.effects.warn(false);
        } else if (this.state == State.ENDING && !this.begun && !this.interrupted) {
            this.interrupted = true;
            this.effects.schedule(INTERRUPTION_TIME, this.number);
            this.effects.interruptBegin();
        } else if (this.state == State.ENDING && !this.abandoned) {
            this.abandoned = true;
            this.effects.warn(true);
            this.effects.abandon();
        }
    }

    /** Only threads that wait for the end of the role work for it. */
    void deadlocked() {
        if (this.state == State.ENDING && !this.abandoned) {
            this.abandoned = true;
            this.effects.abandon();
        }
    }

    private boolean endIfLeading(Reason reason, Duration delay) {
        if (this.state != State.LEADING) {
            return false;
        }
        this.pause = delay;
        enter(State.ENDING);
        this.effects.schedule(this.times.stopTimeout(), this.number);
        this.effects.end(reason);
        return true;
    }

    private void contendLater(Duration delay) {
        enter(State.PAUSED);
        this.effects.schedule(delay, this.number);
    }

    private void enter(State next) {
        this.state = next;
        this.number++;
    }
}

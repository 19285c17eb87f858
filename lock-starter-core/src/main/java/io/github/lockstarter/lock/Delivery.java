package io.github.lockstarter.lock;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.GrantKind;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes inputs to a {@link LocalLock}, and hands the resulting effects to one caller at a time. Like the lock, it has
 * no thread, no clock and no I/O. The caller holds the mutex of the lock where a method requires it, and executes the
 * effects without the mutex.
 */
public class Delivery implements Effects {

    /*
     * Implementation note.
     *
     * Order. The effects of an input are collected under the mutex. After the input, one caller at a time executes them
     * without the mutex until none are left. Inputs of other callers only append their effects. Therefore the effects
     * of a lock are executed in the order of its inputs, each of them once, regardless of the threads. No effect
     * blocks.
     *
     * Own commands. A caller that blocks may take one command out of the effects, the command of its own call, and
     * execute it after the other effects. The outcome of that command is passed to the lock as another input.
     *
     * Errors. A StackOverflowError or an OutOfMemoryError can end an input at any call or allocation, after some facts
     * have been recorded and before others. Such a lock fails as a whole (LocalLock.failStop) before its next input. If
     * no input follows, the driver searches for failed locks and calls them. The effects of an incomplete input are
     * executed. An effect that has thrown is executed again, before the effects behind it. An error is reported by
     * writing fields and without a method call, because every call could fail as well.
     *
     * Memory. An effect that is executed immediately is never stored in a field of this object. This object is old, and
     * the garbage collector would have to visit each old object that refers to a new one.
     */

    /** The results of the input that holds the mutex. Locks that share a mutex can share this object as well. */
    public static final class Collected {

        /** Selects the command that the caller of the input executes itself, or {@code null} if there is none. */
        private @Nullable OwnCommand own;

        /**
         * The command that the caller of the input executes itself, or {@code null} if there is none. The caller takes
         * it out under the mutex.
         */
        @Nullable
        public Sent taken;

        private @Nullable Effect first;

        private @Nullable Effect last;

        private void add(Effect effect) {
            Effect before = this.last;
            if (before == null) {
                this.first = effect;
            } else {
                before.next = effect;
            }
            this.last = effect;
        }
    }

    /** Executes the effects of a lock, and calls the lock in time. */
    public interface Driver extends Effects {

        /**
         * Schedules a call of {@link LocalLock#timeReached} at the given time or earlier. Called under the mutex.
         *
         * @param isHeld whether this JVM holds the lock
         */
        void callAt(long dueAt, boolean isHeld);

        /** Creates the exception for callers that wait for an outcome when the lock fails. Called under the mutex. */
        LockStoreException failure();
    }

    public final LocalLock lock;

    private final Driver driver;

    private final Collected collected;

    // Guarded by the mutex

    /** The first of the effects that wait until a caller has executed the effects before them, or {@code null}. */
    private @Nullable Effect first;

    private @Nullable Effect last;

    /** Whether a caller is executing effects. */
    private boolean isDelivering;

    /** Whether an input has begun and has not ended. */
    private boolean isOpen;

    // Written without the mutex, because the stack of the thread may be exhausted

    /** The effect that has thrown, linked to the effects behind it, or {@code null}. Written before isStalled. */
    private @Nullable Effect undelivered;

    private volatile boolean isStalled;

    private volatile boolean hasFailed;

    public Delivery(String name, Rules rules, Driver driver, Collected collected) {
        this.driver = driver;
        this.collected = collected;
        this.lock = new LocalLock(name, rules, this);
    }

    // ---- Inputs

    /**
     * Applies an input to the lock. Called under the mutex.
     *
     * @param own selects the command that the caller executes itself and finds in {@link Collected#taken}, or {@code
     *     null} if there is none
     * @return the first effect that the caller must execute before it calls {@link #next}, or {@code null} if there is
     *     none or another caller executes the effects
     */
    @Nullable
    public Effect input(BiConsumer<LocalLock, Moment> input, Moment now, @Nullable OwnCommand own) {
        Collected given = this.collected;
        try {
            if (this.isOpen || this.isStalled || this.hasFailed) {
                goOn(now);
            }
            this.isOpen = true;
            given.own = own;
            input.accept(this.lock, now);
            if (this.lock.dueAt != Moment.NEVER) {
                this.driver.callAt(this.lock.dueAt, this.lock.isHeld);
            }
            this.isOpen = false;
        } finally {
            given.own = null;
            if (this.isOpen) {
                // The command is not executed. After a failure of the lock, its outcome counts as unknown anyway.
                given.taken = null;
            }
            if (this.isOpen || this.isDelivering || this.first != null) {
                append(given);
            }
        }
        Effect begin = given.first;
        given.first = null;
        given.last = null;
        if (begin == null && !this.isDelivering) {
            begin = this.first;
            this.first = null;
            this.last = null;
        }
        this.isDelivering |= begin != null;
        return begin;
    }

    /** Appends the collected effects. It writes only fields, because a call could fail as well. */
    private void append(Collected given) {
        Effect added = given.first;
        if (added != null) {
            Effect before = this.last;
            if (before == null) {
                this.first = added;
            } else {
                before.next = added;
            }
            this.last = given.last;
        }
        given.first = null;
        given.last = null;
    }

    /**
     * Continues after an error: puts undelivered effects in front of the others, and lets the lock fail if an input is
     * incomplete or a fact is missing.
     */
    private void goOn(Moment now) {
        if (this.isStalled) {
            Effect left = this.undelivered;
            Effect end = left;
            while (end != null && end.next != null) {
                end = end.next;
            }
            if (end != null) {
                end.next = this.first;
                this.first = left;
                this.last = this.last != null ? this.last : end;
            }
            this.undelivered = null;
            this.isStalled = false;
            this.isDelivering = false;
        }
        if (this.isOpen || this.hasFailed) {
            this.isOpen = true;
            this.hasFailed = false;
            this.lock.failStop(this.driver.failure(), now);
            this.isOpen = false;
        }
    }

    /**
     * Returns the first of the effects that were added while the caller executed others, or {@code null} if the caller
     * is done. Called under the mutex.
     *
     * @param goesOn {@code false} if the caller stops because it has executed enough; {@link #isWaiting} then returns
     *     whether another caller is needed
     */
    @Nullable
    public Effect next(boolean goesOn) {
        Effect begin = goesOn ? this.first : null;
        if (begin != null) {
            this.first = null;
            this.last = null;
        }
        this.isDelivering = begin != null;
        return begin;
    }

    /** Returns whether there are effects that no caller is executing. Called under the mutex. */
    public boolean isWaiting() {
        return this.first != null && !this.isDelivering;
    }

    /** Returns whether the lock has no state and no effects, and can be removed. Called under the mutex. */
    public boolean isIdle() {
        return this.first == null && !this.isDelivering && this.lock.isIdle();
    }

    /** Returns whether the next input must recover from an error. The result is exact only under the mutex. */
    public boolean mustGoOn() {
        return this.isOpen || this.isStalled || this.hasFailed;
    }

    // ---- Errors, reported by writing fields

    /**
     * Reports that the caller could execute neither the given effect nor those behind it. The next input continues with
     * them.
     */
    public void stalled(@Nullable Effect effect) {
        this.undelivered = effect;
        this.isStalled = true;
    }

    /** Reports that a fact is missing, such as the outcome of a command. The lock fails before its next input. */
    public void failed() {
        this.hasFailed = true;
    }

    // ---- Effects of the lock, collected

    @Override
    public String id(GrantKind kind) {
        return this.driver.id(kind);
    }

    @Override
    public long below(long bound) {
        return this.driver.below(bound);
    }

    @Override
    public int withdraw(Acquisition acquisition) {
        return this.driver.withdraw(acquisition);
    }

    @Override
    public void send(Sent sent) {
        Collected given = this.collected;
        if (given.own != null && given.taken == null && given.own.takes(sent)) {
            given.taken = sent;
        } else {
            given.add(sent);
        }
    }

    @Override
    public void granted(Waiter waiter, Grant grant, Way way) {
        this.collected.add(new Effect() {

            @Override
            public void execute(Effects driver) {
                driver.granted(waiter, grant, way);
            }
        });
    }

    @Override
    public void released(Grant grant, @Nullable LockStoreException failure) {
        this.collected.add(new Effect() {

            @Override
            public void execute(Effects driver) {
                driver.released(grant, failure);
            }
        });
    }

    /** Collects an effect that is rare, so a separate class for it would not pay off. */
    private void add(Consumer<Effects> effect) {
        this.collected.add(new Effect() {

            @Override
            public void execute(Effects driver) {
                effect.accept(driver);
            }
        });
    }

    @Override
    public void refused(Waiter waiter, Refusal refusal) {
        add(to -> to.refused(waiter, refusal));
    }

    @Override
    public void renewed(Grant grant, Moment sentAt) {
        add(to -> to.renewed(grant, sentAt));
    }

    @Override
    public void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause) {
        add(to -> to.renewalFailed(grant, sentAt, cause));
    }

    @Override
    public void atRisk(Grant grant, @Nullable LockStoreException cause) {
        add(to -> to.atRisk(grant, cause));
    }

    @Override
    public void recovered(Grant grant) {
        add(to -> to.recovered(grant));
    }

    @Override
    public void releaseRequested(Grant grant) {
        add(to -> to.releaseRequested(grant));
    }

    @Override
    public void lost(Grant grant, LossReason reason) {
        add(to -> to.lost(grant, reason));
    }

    @Override
    public void taken(String owner) {
        add(to -> to.taken(owner));
    }

    @Override
    public void waitsForStore(LockStoreException cause) {
        add(to -> to.waitsForStore(cause));
    }
}

package io.github.lockstarter.lock;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.GrantKind;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives a {@link LocalLock} its inputs, and hands what follows from them to one caller at a time. Pure, as the lock is:
 * the caller holds the mutex of the lock where a method says so, and executes effects without it.
 */
public class Delivery implements Effects {

    /*
     * Implementation note.
     *
     * Order. The effects of an input are collected under the mutex. After the mutex, one caller at a time executes
     * them, until there are no more; the inputs of others only append. So the effects of a lock are executed in the
     * order of its inputs, each once, whichever threads bring them. No effect blocks.
     *
     * Own commands. A caller that blocks may take one command out of the effects, that of its own call, and executes it
     * after the effects. The outcome of that command is an input as well.
     *
     * Errors. A StackOverflowError or an OutOfMemoryError can end an input wherever it calls or allocates, and leave
     * facts of which some are noted and others not. Such a lock fails as a whole (LocalLock.failStop), before its next
     * input, at the latest when the driver looks for locks that have failed. What the input has left is executed. An
     * effect that has thrown is executed again, before those behind it. What is published after an error are plain
     * fields, because every call could fail as well.
     *
     * Memory. An effect that is executed at once never gets into a field of this object: such a field is old, and the
     * garbage collector would look at each one that refers to something new.
     */

    /** What the input leaves that holds the mutex. Many locks may share one, with their mutex. */
    public static final class Collected {

        /** What the caller executes itself; null: nothing. */
        private @Nullable OwnCommand own;

        /**
         * The command that the caller of the input executes itself, and which it takes out under the mutex; null: there
         * is none.
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

    /** What executes effects, and calls the lock in time. */
    public interface Driver extends Effects {

        /**
         * Calls {@link LocalLock#timeReached} at that time or before. Called under the mutex.
         *
         * @param isHeld whether this JVM holds the lock
         */
        void callAt(long dueAt, boolean isHeld);

        /** Creates the failure for those that wait for an outcome when the lock fails. Called under the mutex. */
        LockStoreException failure();
    }

    public final LocalLock lock;

    private final Driver driver;

    private final Collected collected;

    // Guarded by the mutex

    /** Effects that wait for the caller that executes those before them. */
    private @Nullable Effect first;

    private @Nullable Effect last;

    /** Whether a caller executes effects. */
    private boolean isDelivering;

    /** Whether an input has begun, and not ended. */
    private boolean isOpen;

    // Written without the mutex, by threads whose stack is exhausted

    /** The effect that has thrown, with those behind it. Written before isStalled. */
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
     * Gives the lock an input. Called under the mutex.
     *
     * @param own the command that the caller executes itself, which it finds in {@link Collected#taken}; null: none
     * @return the first of the effects that the caller is to execute, and then {@link #next}; null: there are none, or
     *     another caller executes them
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
                // It is not executed, and after a failure its outcome is unknown anyway.
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

    /** Only plain writes, because a call could fail as well. */
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

    /** Goes on after an error. */
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
     * Returns the first of the effects that were added while the caller has executed others; null: it is done. Called
     * under the mutex.
     *
     * @param goesOn false: the caller has executed enough, and {@link #isWaiting} tells whether another one is needed
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

    /** Returns whether effects wait that no caller executes. Called under the mutex. */
    public boolean isWaiting() {
        return this.first != null && !this.isDelivering;
    }

    /** Returns whether nothing is known that could be forgotten. Called under the mutex. */
    public boolean isIdle() {
        return this.first == null && !this.isDelivering && this.lock.isIdle();
    }

    /** Returns whether an error has left something for the next input to do. Exact under the mutex. */
    public boolean mustGoOn() {
        return this.isOpen || this.isStalled || this.hasFailed;
    }

    // ---- Errors, reported by plain writes

    /** The caller could execute neither this effect nor those behind it. The next input goes on with them. */
    public void stalled(@Nullable Effect effect) {
        this.undelivered = effect;
        this.isStalled = true;
    }

    /** A fact could not be noted, such as the outcome of a command. The lock fails before its next input. */
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

    /** For effects that are rarer than those with a class of their own. */
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

package io.github.lockstarter.store;

import io.github.lockstarter.LockHolder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A reply of a {@link LockStore}, which was true at one moment between the sending of the command and its receipt. */
public sealed interface Reply {

    /**
     * The acquisition has the lock. After {@link Command.Release} and {@link Command.Downgrade}: the successor or the
     * reader has it.
     *
     * @param token fencing token of the grant, larger than the tokens of all earlier grants of the lock
     */
    record Granted(long token) implements Reply {}

    /**
     * The acquisition does not have the lock.
     *
     * @param remainingMillis milliseconds until the lease of the owner ends, or until the first lease may end if there
     *     are several holders; very large if it does not end
     * @param owner id of the owner, also while the lock is kept for a minimum hold, or of one of several holders, or
     *     {@code null} if it is unknown
     * @param token largest token of the lock so far, or 0 if it is unknown
     * @param used sum of the weights of the holders, where a reader weighs 1; 0 if the lock has an exclusive owner
     * @param pollMillis milliseconds after which the acquisition is to ask again, or 0 if it is not in the waiting
     *     line. An acquisition in the line had not been granted the lock when the command was executed, and the store
     *     was not a replica
     */
    record Taken(long remainingMillis, @Nullable String owner, long token, int used, long pollMillis)
            implements Reply {}

    /** The lease has been renewed. */
    record Renewed() implements Reply {

        public static final Renewed INSTANCE = new Renewed();
    }

    /**
     * The grant has ended; a lock with a minimum hold is kept. A successor is neither an owner nor in the line. It is
     * also the reply where the command may have been executed twice and the second execution has found no grant.
     */
    record Released() implements Reply {

        public static final Released INSTANCE = new Released();
    }

    /**
     * The grant has ended, and the successor is in the waiting line.
     *
     * @param token largest token of the lock so far; a later grant to the successor has a larger one
     */
    record InLine(long token) implements Reply {}

    /** The acquisition had no grant, and has left the waiting line. */
    record LeftLine() implements Reply {

        public static final LeftLine INSTANCE = new LeftLine();
    }

    /**
     * The acquisition has neither a grant nor a place in the line.
     *
     * @param isFree whether no other acquisition has the lock
     */
    record NotOwner(boolean isFree) implements Reply {

        public static final NotOwner FREE = new NotOwner(true);

        public static final NotOwner TAKEN = new NotOwner(false);
    }

    /**
     * Describes a lock.
     *
     * @param lock the lock, or {@code null} if it is free
     */
    record Described(@Nullable StoredLock lock) implements Reply {}

    /**
     * Outcomes of several renewals.
     *
     * @param outcomes in the order of the renewals: {@link Renewed}, {@link NotOwner} or {@link Failed}
     */
    record RenewedAll(List<Reply> outcomes) implements Reply {

        public RenewedAll {
            outcomes = List.copyOf(outcomes);
        }
    }

    /**
     * One of several renewals has failed.
     *
     * @param message the error of the store
     */
    record Failed(String message) implements Reply {}

    /** The command has been executed. */
    record Done() implements Reply {

        public static final Done INSTANCE = new Done();
    }

    /**
     * Describes an instance.
     *
     * @param instance the instance, or {@code null} if there is no description
     */
    record Instance(@Nullable LockHolder instance) implements Reply {}
}

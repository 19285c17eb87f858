package io.github.lockstarter.store;

import io.github.lockstarter.LockHolder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command to a {@link LockStore}. Each command is one atomic step of the store, {@link RenewAll} one for each lock.
 * Most concern a lock, the others the description of an instance.
 *
 * <p>Executed twice, because a caller or a client repeated it, a command has the effect of one execution. The end of an
 * acquisition id states what the acquisition requests, see {@link GrantKind}. An id is unique, and is never used again
 * after it was released. Leases are milliseconds, at least 1. Immutable.
 */
public sealed interface Command {

    /** Returns the full name of the lock; empty if the command concerns several locks or an instance. */
    default String lock() {
        return "";
    }

    /**
     * Grants the lock if it is free or its holders allow the acquisition. If the acquisition owns the lock
     * already, sets the full lease again unless more is left, and returns the same token.
     *
     * <p>Replies: {@link Reply.Granted}, {@link Reply.Taken}.
     *
     * @param lock full name of the lock
     * @param id id of the acquisition
     * @param leaseMillis lease of the grant
     * @param join whether the acquisition joins the waiting line if it is not granted; an acquisition that is in the
     *     line stays in it in any case, and polls by this command
     */
    record Acquire(String lock, String id, long leaseMillis, boolean join) implements Command {}

    /**
     * Sets the full lease of a grant again, unless more is left. Never creates a grant.
     *
     * <p>Replies: {@link Reply.Renewed}, {@link Reply.NotOwner}.
     */
    record Renew(String lock, String id, long leaseMillis) implements Command {}

    /**
     * Ends a grant, and grants the lock along the waiting line. An acquisition that has no grant but is in the line
     * leaves it.
     *
     * <p>Replies: {@link Reply.Released}; with a successor also {@link Reply.Granted} and {@link Reply.InLine}, which
     * are about the successor and imply that the grant has ended; {@link Reply.LeftLine}; {@link Reply.NotOwner}.
     *
     * @param id id of the acquisition, or {@link GrantKind#keptOf} that id to end its minimum hold
     * @param lastToken largest token that was passed on under the id, or 0 if there is none; the next token of the lock
     *     is larger than this token and than the token of the grant
     * @param keepMillis milliseconds for which the lock stays taken after the end of the grant, for a minimum hold,
     *     which a repetition never extends; 0 if there is none. With a minimum hold there is no successor
     * @param successor the next acquisition of the same instance, which joins the waiting line in the same step, or
     *     {@code null} if there is none
     */
    record Release(
            String lock,
            String id,
            long lastToken,
            long keepMillis,
            @Nullable Successor successor) implements Command {}

    /**
     * Turns the exclusive owner into a reader with the same token, whose id is {@link GrantKind#readerOf}, and grants
     * the lock to the readers at the beginning of the waiting line. The reader's lease is never shorter than the rest
     * of the owner's lease.
     *
     * <p>Replies: {@link Reply.Granted}, {@link Reply.NotOwner}.
     *
     * @param id id of the exclusive owner
     * @param lastToken largest fencing token that was used under the id
     */
    record Downgrade(String lock, String id, long lastToken, long leaseMillis) implements Command {}

    /**
     * Describes the lock, without changing it.
     *
     * <p>Reply: {@link Reply.Described}.
     *
     * @param ownerOnly whether to omit holders and waiting line, which may be long
     */
    record Inspect(String lock, boolean ownerOnly) implements Command {}

    /**
     * Renews several leases, each independently of the others.
     *
     * <p>Reply: {@link Reply.RenewedAll}.
     *
     * @param renewals at least one, and not more than {@link LockStore#renewalBatchSize()}; all have the same lease
     */
    record RenewAll(List<Renew> renewals) implements Command {}

    /**
     * Sends a message to the instance of a grant. Changes nothing in the store, and nothing shows whether the message
     * is received.
     *
     * <p>Reply: {@link Reply.Done}. Fails if the store sends no messages.
     *
     * @param instance id of the instance
     * @param id id of the acquisition
     */
    record Notify(String lock, String instance, String id, Notice notice) implements Command {}

    /**
     * Publishes the description of an instance for a limited time, or prolongs that time. The description of an
     * instance never changes. In a store that does not support it, the command has no effect.
     *
     * <p>Reply: {@link Reply.Done}.
     *
     * @param ttlMillis milliseconds after which the description is removed, at least 1
     */
    record PublishInstance(LockHolder instance, long ttlMillis) implements Command {}

    /**
     * Finds the description of an instance.
     *
     * <p>Reply: {@link Reply.Instance}.
     *
     * @param instance id of the instance
     */
    record FindInstance(String instance) implements Command {}
}

package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.Successor;
import io.github.lockstarter.store.redis.connection.StoreConnection;
import org.jspecify.annotations.Nullable;

/** Builds the arguments of {@code acquire.lua} and {@code release.lua}. Thread-safe. */
final class ScriptArguments {

    private final StoreConnection connection;

    private final String claimMillis;

    /**
     * Creates a builder.
     *
     * @param claimMillis milliseconds in which a waiter must claim a grant from the line
     */
    ScriptArguments(StoreConnection connection, long claimMillis) {
        this.connection = connection;
        this.claimMillis = Long.toString(claimMillis);
    }

    /**
     * Returns the arguments of an acquire.
     *
     * @param waiter how a waiter is notified; null if the acquisition does not join the line
     */
    String[] ofAcquire(String acquisitionId, long leaseMillis, @Nullable NotificationSubscription waiter) {
        // A waiter whose subscription is still being set up could miss its message, and so does not join the line yet.
        return waiter != null && waiter.state() != NotificationSubscription.State.PENDING
                ? new String[] {acquisitionId, Long.toString(leaseMillis), this.claimMillis, inboxOf(waiter)}
                : new String[] {acquisitionId, Long.toString(leaseMillis)};
    }

    /**
     * Returns the arguments of a release.
     *
     * @param waiter how the successor is notified if it joins the line; null if the store is not started
     */
    String[] ofRelease(
            String acquisitionId,
            long lastToken,
            @Nullable Successor successor,
            @Nullable NotificationSubscription waiter) {
        String countsAllReceivers = this.connection.countsAllReceivers() ? "1" : "0";
        return successor == null
                ? new String[] {acquisitionId, Long.toString(lastToken), countsAllReceivers}
                : new String[] {
                    acquisitionId,
                    Long.toString(lastToken),
                    countsAllReceivers,
                    successor.acquisitionId(),
                    Long.toString(successor.leaseMillis()),
                    this.claimMillis,
                    inboxOf(waiter)
                };
    }

    /** Returns the inbox in which the instance receives messages; empty if it receives none and polls. */
    private static String inboxOf(@Nullable NotificationSubscription waiter) {
        return waiter != null && waiter.state() == NotificationSubscription.State.SUBSCRIBED ? waiter.inbox() : "";
    }
}

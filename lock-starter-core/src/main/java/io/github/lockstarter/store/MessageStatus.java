package io.github.lockstarter.store;

/**
 * How a store notifies waiters of other instances of their grants.
 *
 * @param mode {@code script}, {@code client} or {@code polling}
 * @param reason why it is no better one, in the words of the server; empty if there is no reason
 * @param isConfigured whether the mode is the one that the configuration fixes
 * @param dropped number of messages that were not published since the start
 */
public record MessageStatus(String mode, String reason, boolean isConfigured, long dropped) {

    /** Returns the mode, followed by the reason in parentheses if there is one. */
    public String describe() {
        return this.reason.isEmpty() ? this.mode : this.mode + " (" + this.reason + ')';
    }
}

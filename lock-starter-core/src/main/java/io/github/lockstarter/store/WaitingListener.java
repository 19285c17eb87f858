package io.github.lockstarter.store;

/** Hears from a store when waiting may be over. What it hears is a hint: only the answer to an acquire is a grant. */
public interface WaitingListener {

    /** The lock may have been handed to an acquisition of this instance. Must not block. */
    void handedOver(String lockName);

    /** Messages may have been missed; any lock may have been handed over. Must not block. */
    void missedSome();
}

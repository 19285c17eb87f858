package io.github.lockstarter.registry;

/** Determines when a release returns. */
public enum ReleaseMode {
    /** When the store has answered: an unlock reports whether the lock was lost. */
    AWAIT,
    /**
     * When the command has been sent, before every later command of this instance. The result goes to meters, listeners
     * and the log; the unlock itself reports only a loss that was known before.
     */
    BACKGROUND
}

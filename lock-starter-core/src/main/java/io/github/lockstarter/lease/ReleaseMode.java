package io.github.lockstarter.lease;

/** When a release returns. */
public enum ReleaseMode {
    /** When the store has answered: an unlock can say that the lock was lost. */
    AWAIT,
    /**
     * When the command is on its way, before every later command of this instance. Meters, listeners and the log learn
     * the result; who unlocks hears only of a loss that was known before.
     */
    BACKGROUND
}

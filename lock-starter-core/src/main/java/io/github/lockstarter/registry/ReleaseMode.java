package io.github.lockstarter.registry;

/** Determines when a release returns. */
public enum ReleaseMode {
    /** The release returns when the store has answered. An unlock reports whether the lock was lost. */
    AWAIT,
    /**
     * The release returns when the command has been sent, before every later command of this instance. Meters,
     * listeners and the log get the result; the unlock itself reports only a loss that was detected before.
     */
    BACKGROUND
}

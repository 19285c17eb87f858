package io.github.lockstarter.text;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Writes to the log. Every message, and every message in a stack trace, is made {@link Printable}; all logging of the
 * library uses this class; therefore no statement can omit it. Thread-safe.
 */
public final class LockLog {

    private final Log log;

    private LockLog(Log log) {
        this.log = log;
    }

    /** Returns the log whose logger has the name of the class. */
    public static LockLog of(Class<?> type) {
        return new LockLog(LogFactory.getLog(type));
    }

    /** Returns whether DEBUG is enabled, for messages that are expensive to create. */
    public boolean isDebugEnabled() {
        return this.log.isDebugEnabled();
    }

    /** Logs at DEBUG. */
    public void debug(String message) {
        debug(message, null);
    }

    /** Logs at DEBUG, with the stack trace of the cause unless it is null. */
    public void debug(String message, @Nullable Throwable cause) {
        if (this.log.isDebugEnabled()) {
            this.log.debug(Printable.of(message), printable(cause));
        }
    }

    /** Logs at INFO. */
    public void info(String message) {
        this.log.info(Printable.of(message));
    }

    /** Logs at WARN. */
    public void warn(String message) {
        this.log.warn(Printable.of(message));
    }

    /** Logs at WARN, with the stack trace of the cause unless it is null. */
    public void warn(String message, @Nullable Throwable cause) {
        this.log.warn(Printable.of(message), printable(cause));
    }

    /** Logs at ERROR. */
    public void error(String message) {
        this.log.error(Printable.of(message));
    }

    /** Logs at ERROR, with the stack trace of the cause unless it is null. */
    public void error(String message, @Nullable Throwable cause) {
        this.log.error(Printable.of(message), printable(cause));
    }

    private static @Nullable Throwable printable(@Nullable Throwable cause) {
        return cause != null ? PrintableTrace.of(cause) : null;
    }
}

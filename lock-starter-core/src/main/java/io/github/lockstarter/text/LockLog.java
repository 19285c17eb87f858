package io.github.lockstarter.text;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The only way into the log: every line, and every message in a stack trace, is made {@link Printable} here, so that no
 * statement can forget it.
 */
public final class LockLog {

    private final Log log;

    private LockLog(Log log) {
        this.log = log;
    }

    /** Returns the log of that class, which is the name of its logger. */
    public static LockLog of(Class<?> type) {
        return new LockLog(LogFactory.getLog(type));
    }

    /** Whether lines at DEBUG are written; for messages that cost something. */
    public boolean isDebugEnabled() {
        return this.log.isDebugEnabled();
    }

    public void debug(String message) {
        debug(message, null);
    }

    public void debug(String message, @Nullable Throwable cause) {
        if (this.log.isDebugEnabled()) {
            this.log.debug(Printable.of(message), printable(cause));
        }
    }

    public void info(String message) {
        this.log.info(Printable.of(message));
    }

    public void warn(String message) {
        this.log.warn(Printable.of(message));
    }

    public void warn(String message, @Nullable Throwable cause) {
        this.log.warn(Printable.of(message), printable(cause));
    }

    public void error(String message) {
        this.log.error(Printable.of(message));
    }

    public void error(String message, @Nullable Throwable cause) {
        this.log.error(Printable.of(message), printable(cause));
    }

    private static @Nullable Throwable printable(@Nullable Throwable cause) {
        return cause != null ? PrintableTrace.of(cause) : null;
    }
}

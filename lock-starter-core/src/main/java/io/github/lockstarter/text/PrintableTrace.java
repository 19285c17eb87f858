package io.github.lockstarter.text;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Replaces an exception in the log if its message, or the message of a cause or suppressed exception, is not {@link
 * Printable}. It has the same stack traces, and printable messages that begin with the class of the original.
 */
final class PrintableTrace extends Exception {

    private static final long serialVersionUID = 1L;

    private PrintableTrace(Throwable original, @Nullable Throwable cause) {
        super(Printable.of(textOf(original)), cause);
        setStackTrace(original.getStackTrace());
    }

    /** Returns the exception itself if all its messages are printable, otherwise a replacement. */
    static Throwable of(Throwable original) {
        return isPrintable(original, seen()) ? original : copy(original, seen());
    }

    private static Set<Throwable> seen() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    private static boolean isPrintable(@Nullable Throwable thrown, Set<Throwable> seen) {
        if (thrown == null || !seen.add(thrown)) {
            return true;
        }
        boolean printable = Printable.isPrintable(textOf(thrown)) && isPrintable(thrown.getCause(), seen);
        for (Throwable suppressed : thrown.getSuppressed()) {
            printable = printable && isPrintable(suppressed, seen);
        }
        return printable;
    }

    private static PrintableTrace copy(Throwable thrown, Set<Throwable> seen) {
        seen.add(thrown);
        Throwable cause = thrown.getCause();
        PrintableTrace copy =
                new PrintableTrace(thrown, cause != null && !seen.contains(cause) ? copy(cause, seen) : null);
        for (Throwable suppressed : thrown.getSuppressed()) {
            if (!seen.contains(suppressed)) {
                copy.addSuppressed(copy(suppressed, seen));
            }
        }
        return copy;
    }

    /** Returns the text of the exception, whose class may override {@code toString()} and fail in it. */
    private static String textOf(Throwable thrown) {
        try {
            return String.valueOf(thrown);
        } catch (RuntimeException ex) {
            return thrown.getClass().getName();
        }
    }
}

package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/** Base of everything that goes wrong with a lock. The message names the lock and what to do. */
public class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LockException(String message) {
        super(printable(message));
    }

    public LockException(String message, @Nullable Throwable cause) {
        super(printable(message), cause);
    }

    /**
     * A text for logs: names come from outside, and must not begin lines of their own or steer a terminal. Control
     * characters and line separators become their numbers.
     */
    public static String printable(String text) {
        StringBuilder printable = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean unsafe = Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
            if (unsafe && printable == null) {
                printable = new StringBuilder(text.length() + 16).append(text, 0, i);
            }
            if (printable != null) {
                printable.append(unsafe ? String.format("\\u%04X", (int) c) : c);
            }
        }
        return printable != null ? printable.toString() : text;
    }
}

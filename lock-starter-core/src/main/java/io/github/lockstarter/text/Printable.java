package io.github.lockstarter.text;

import java.time.Duration;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Makes texts safe for logs and terminals, and durations readable. Names of locks and replies of servers are foreign
 * input, which must not add lines to a log, control a terminal or change the order in which a line is displayed.
 */
public final class Printable {

    private Printable() {}

    /**
     * Returns the text with a Unicode escape (a backslash, {@code u} and four hexadecimal digits) instead of every
     * control character, line and paragraph separator, format character (such as those that change the direction of
     * writing) and unpaired surrogate. Returns the same object if the text contains none of them.
     */
    public static String of(String text) {
        int length = text.length();
        for (int i = 0; i < length; ) {
            int codePoint = text.codePointAt(i);
            if (isUnsafe(codePoint)) {
                return escaped(text, i);
            }
            i += Character.charCount(codePoint);
        }
        return text;
    }

    /** Returns the duration as in a configuration file, such as {@code 1s500ms}; {@code 0} for zero. */
    public static String duration(Duration time) {
        return time.isZero() ? "0" : DurationFormatterUtils.print(time, DurationFormat.Style.COMPOSITE);
    }

    /** Returns whether {@link #of} returns the text unchanged. */
    static boolean isPrintable(String text) {
        return text.codePoints().noneMatch(Printable::isUnsafe);
    }

    private static boolean isUnsafe(int codePoint) {
        if (codePoint >= ' ' && codePoint < 0x7F) {
            return false;
        }
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> true;
            default -> false;
        };
    }

    private static String escaped(String text, int safe) {
        StringBuilder printable = new StringBuilder(text.length() + 16).append(text, 0, safe);
        for (int i = safe; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            int next = i + Character.charCount(codePoint);
            if (isUnsafe(codePoint)) {
                for (int at = i; at < next; at++) {
                    printable.append(String.format("\\u%04X", (int) text.charAt(at)));
                }
            } else {
                printable.appendCodePoint(codePoint);
            }
            i = next;
        }
        return printable.toString();
    }
}

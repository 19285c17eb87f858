package io.github.lockstarter.key;

import org.jspecify.annotations.Nullable;

/**
 * Finds the result of {@code Object.toString}, such as {@code shop.Order@1b2c3d}, and that of arrays and lambdas, in a
 * text that may also contain addresses, such as {@code user@cafe.example}. A heuristic: it may miss hashes with few
 * digits.
 */
final class IdentityHash {

    private static final int MOST_DIGITS = 8;

    /** One hash in 30,000 has fewer digits; most texts that look like one are versions or numbers. */
    private static final int FEWEST_DIGITS = 5;

    /** A number of at least this length, without a letter, is rarely a version. */
    private static final int MANY_DIGITS = 7;

    private IdentityHash() {}

    /** Returns the first one in the text, with the name before it; null if there is none. */
    static @Nullable String firstIn(String text) {
        for (int at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
            if (isBehindName(text, at)) {
                return text.substring(startOfName(text, at), endOfHash(text, at));
            }
        }
        return null;
    }

    private static int endOfHash(String text, int at) {
        int end = at + 1;
        while (end < text.length() && isHex(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static boolean isBehindName(String text, int at) {
        int end = at + 1;
        boolean decimal = false;
        boolean letter = false;
        while (end < text.length() && isHex(text.charAt(end))) {
            decimal |= text.charAt(end) <= '9';
            letter |= text.charAt(end) > '9';
            end++;
        }
        int digits = end - at - 1;
        if (digits == 0 || digits > MOST_DIGITS) {
            return false;
        }
        String name = text.substring(startOfName(text, at), at);
        if (isArray(name)) {
            return end == text.length() || !Character.isLetterOrDigit(text.charAt(end));
        }
        if (digits < FEWEST_DIGITS || (!letter && digits < MANY_DIGITS)) {
            return false;
        }
        // A name without a package counts as a class only before a hash of the usual length with both digits and
        // letters.
        boolean surely = decimal && letter && digits >= MANY_DIGITS;
        return endsAt(text, end)
                ? isClass(name, surely)
                : decimal && !Character.isLetterOrDigit(text.charAt(end)) && isClass(name, false);
    }

    private static boolean isHex(char c) {
        return "0123456789abcdef".indexOf(c) >= 0;
    }

    /** Returns whether the text does not continue like a host name or a version. */
    private static boolean endsAt(String text, int end) {
        if (end == text.length()) {
            return true;
        }
        char next = text.charAt(end);
        if (next == '.') {
            return end + 1 == text.length() || !Character.isLetterOrDigit(text.charAt(end + 1));
        }
        return !Character.isJavaIdentifierPart(next) && next != '-' && next != '@';
    }

    private static int startOfName(String text, int end) {
        int start = end;
        while (start > 0 && isPartOfName(text.charAt(start - 1))) {
            start--;
        }
        return start;
    }

    private static boolean isPartOfName(char c) {
        return Character.isJavaIdentifierPart(c) || c == '.' || c == '/' || c == '[' || c == ';';
    }

    /** Returns whether it is the name of an array class, such as {@code [B} and {@code [Ljava.lang.String;}. */
    private static boolean isArray(String name) {
        int element = name.lastIndexOf('[') + 1;
        return element > 0
                && (name.endsWith(";")
                        || (name.length() == element + 1 && "BCDFIJSZ".indexOf(name.charAt(element)) >= 0));
    }

    /** Returns whether it looks like the name of a class; without a package only if {@code beforeHash}. */
    private static boolean isClass(String text, boolean beforeHash) {
        String name = text.substring(Math.max(text.lastIndexOf('['), text.lastIndexOf(';')) + 1);
        if (name.indexOf('$') >= 0) {
            return true;
        }
        String simple = name.substring(name.lastIndexOf('.') + 1);
        boolean inPackage = simple.length() < name.length() && Character.isLowerCase(name.charAt(0));
        return startsLikeClass(simple) && (inPackage || beforeHash);
    }

    private static boolean startsLikeClass(String simple) {
        return !simple.isEmpty()
                && Character.isJavaIdentifierStart(simple.charAt(0))
                && !Character.isLowerCase(simple.charAt(0));
    }
}

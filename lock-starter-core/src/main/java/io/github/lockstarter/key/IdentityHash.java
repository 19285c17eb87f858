package io.github.lockstarter.key;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the result of {@code Object.toString}, such as {@code shop.Order@1b2c3d}, and that of arrays and lambdas, in a
 * text that may also contain addresses, such as {@code user@cafe.example}. A heuristic: it may miss hashes with few
 * digits.
 */
final class IdentityHash {

    private static final String PART_OF_NAME = "[\\p{javaJavaIdentifierPart}./\\[;]";

    /** A name, and hexadecimal digits behind it. */
    private static final Pattern CANDIDATE =
            Pattern.compile("(?<!" + PART_OF_NAME + ")(" + PART_OF_NAME + "*)@(?=([0-9a-f]{1,8})(?![0-9a-f]))");

    /** The name of an array class, such as {@code [B} and {@code [Ljava.lang.String;}. */
    private static final Pattern ARRAY = Pattern.compile(".*\\[([BCDFIJSZ]|[^\\[]*;)");

    /** What follows a hash, unless the text continues like a host name or a version. */
    private static final Pattern END =
            Pattern.compile("$|\\.(?![\\p{javaLetterOrDigit}])|[^\\p{javaJavaIdentifierPart}.@-]");

    /** One hash in 30,000 has fewer digits; most texts that look like one are versions or numbers. */
    private static final int FEWEST_DIGITS = 5;

    /** A number of at least this length, without a letter, is rarely a version. */
    private static final int MANY_DIGITS = 7;

    private IdentityHash() {}

    /** Returns the first one in the text, with the name before it; null if there is none. */
    static @Nullable String firstIn(String text) {
        Matcher candidates = CANDIDATE.matcher(text);
        while (candidates.find()) {
            String name = candidates.group(1);
            String digits = candidates.group(2);
            if (isHash(name, digits, text, candidates.end(2))) {
                return name + '@' + digits;
            }
        }
        return null;
    }

    /** Reads the text in place, because a copy of its rest for each candidate would take quadratic time. */
    private static boolean isHash(String name, String digits, String text, int end) {
        boolean separate = end == text.length() || !Character.isLetterOrDigit(text.charAt(end));
        if (ARRAY.matcher(name).matches()) {
            return separate;
        }
        boolean decimal = digits.chars().anyMatch(digit -> digit <= '9');
        boolean letter = digits.chars().anyMatch(digit -> digit > '9');
        boolean many = digits.length() >= MANY_DIGITS;
        if (digits.length() < FEWEST_DIGITS || (!letter && !many)) {
            return false;
        }
        // A name without a package counts as a class only before a hash of the usual length with both digits and
        // letters.
        return END.matcher(text).region(end, text.length()).lookingAt()
                ? isClass(name, decimal && letter && many)
                : decimal && separate && isClass(name, false);
    }

    /** Returns whether it looks like the name of a class; without a package only if {@code beforeHash}. */
    private static boolean isClass(String text, boolean beforeHash) {
        String name = text.substring(Math.max(text.lastIndexOf('['), text.lastIndexOf(';')) + 1);
        if (name.indexOf('$') >= 0) {
            return true;
        }
        String simple = name.substring(name.lastIndexOf('.') + 1);
        boolean inPackage = simple.length() < name.length() && Character.isLowerCase(name.charAt(0));
        return !simple.isEmpty()
                && Character.isJavaIdentifierStart(simple.charAt(0))
                && !Character.isLowerCase(simple.charAt(0))
                && (inPackage || beforeHash);
    }
}

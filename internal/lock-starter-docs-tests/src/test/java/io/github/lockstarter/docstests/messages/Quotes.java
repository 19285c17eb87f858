package io.github.lockstarter.docstests.messages;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.Set;

/** Finds texts in the literals of the code, also those that the code joins from literals by variables. */
final class Quotes {

    /** Shorter pieces would make a text of anything. */
    private static final int MIN_PIECE = 5;

    private final Set<String> literals;

    Quotes(Set<String> literals) {
        this.literals = literals;
    }

    /** Returns whether a text is a part of a literal, or the end of one, any whole ones, and the beginning of one. */
    boolean contain(String text) {
        return this.literals.stream().anyMatch(literal -> literal.contains(text)) || isJoined(text);
    }

    private boolean isJoined(String text) {
        BitSet seen = new BitSet();
        Deque<Integer> ends = new ArrayDeque<>();
        for (int end = MIN_PIECE; end < text.length(); end++) {
            String first = text.substring(0, end);
            if (this.literals.stream().anyMatch(literal -> literal.endsWith(first))) {
                seen.set(end);
                ends.add(end);
            }
        }
        while (!ends.isEmpty()) {
            int from = ends.remove();
            String rest = text.substring(from);
            for (String literal : this.literals) {
                if (literal.startsWith(rest)) {
                    return true;
                }
                int end = from + literal.length();
                if (literal.length() >= MIN_PIECE && rest.startsWith(literal) && !seen.get(end)) {
                    seen.set(end);
                    ends.add(end);
                }
            }
        }
        return false;
    }
}

package io.github.lockstarter.docstests.java;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;

/**
 * Replaces the ellipses of code by code that compiles: the rest of a method throws, other statements and members are
 * empty, and a value is one of any type. Ellipses in comments and literals stay, and so does every line break.
 */
final class Elisions {

    static final char ELLIPSIS = '…';

    private enum Body {
        METHOD,
        OTHER
    }

    private static final Pattern CONTROL =
            Pattern.compile("^\\s*(if|for|while|switch|catch|try|synchronized)\\b.*", Pattern.DOTALL);

    private static final Pattern METHOD = Pattern.compile(".*(->|\\)(\\s*throws [\\w., ]+)?)\\s*$", Pattern.DOTALL);

    private static final Pattern NEW_OBJECT =
            Pattern.compile(".*\\bnew\\s+[\\w.<>?, ]+\\([^;{}]*\\)\\s*$", Pattern.DOTALL);

    private static final Pattern VALUE = Pattern.compile(".*([=(,?:]|->|\\breturn)\\s*$", Pattern.DOTALL);

    private final String code;

    private final StringBuilder result = new StringBuilder();

    /** Where the statement or declaration begins that is being read, in the result. */
    private int statement;

    private final Deque<Body> bodies = new ArrayDeque<>();

    private Elisions(String code) {
        this.code = code;
    }

    static String replaced(String code) {
        return code.indexOf(ELLIPSIS) < 0 ? code : new Elisions(code).replaced();
    }

    private String replaced() {
        int i = 0;
        while (i < this.code.length()) {
            int end = endOfTextAt(i);
            if (end > i) {
                this.result.append(this.code, i, end);
                i = end;
            } else {
                read(i++);
            }
        }
        return this.result.toString();
    }

    private void read(int i) {
        char c = this.code.charAt(i);
        String before = this.result.substring(this.statement);
        if (c == ELLIPSIS) {
            this.result.append(replacement(before, i + 1));
            return;
        }
        this.result.append(c);
        if (c == '{') {
            boolean method = METHOD.matcher(before).matches()
                    && !CONTROL.matcher(before).matches()
                    && !NEW_OBJECT.matcher(before).matches();
            this.bodies.push(method ? Body.METHOD : Body.OTHER);
        } else if (c == '}' && !this.bodies.isEmpty()) {
            this.bodies.pop();
        }
        if (c == '{' || c == '}' || c == ';') {
            this.statement = this.result.length();
        }
    }

    private String replacement(String before, int next) {
        if (VALUE.matcher(before).matches()) {
            return "omitted()";
        }
        boolean last = this.code.substring(next).stripLeading().startsWith("}");
        return last && this.bodies.peek() == Body.METHOD ? "throw new AssertionError();" : ";";
    }

    /** Returns the end of a comment or literal that begins here, or the position itself. */
    private int endOfTextAt(int i) {
        if (this.code.startsWith("//", i)) {
            return endAfter("\n", i, 2) - 1;
        }
        if (this.code.startsWith("/*", i)) {
            return endAfter("*/", i, 2);
        }
        if (this.code.startsWith("\"\"\"", i)) {
            return endAfter("\"\"\"", i, 3);
        }
        char quote = this.code.charAt(i);
        if (quote != '"' && quote != '\'') {
            return i;
        }
        int end = i + 1;
        while (end < this.code.length() && this.code.charAt(end) != quote && this.code.charAt(end) != '\n') {
            end += this.code.charAt(end) == '\\' ? 2 : 1;
        }
        return Math.min(end + 1, this.code.length());
    }

    private int endAfter(String mark, int from, int opening) {
        int end = this.code.indexOf(mark, from + opening);
        return end < 0 ? this.code.length() + (mark.equals("\n") ? 1 : 0) : end + mark.length();
    }
}

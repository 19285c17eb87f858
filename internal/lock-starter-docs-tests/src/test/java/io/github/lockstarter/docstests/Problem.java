package io.github.lockstarter.docstests;

import io.github.lockstarter.docstests.markdown.Page;
import java.util.Comparator;

/**
 * What is wrong with a line of the manual.
 *
 * @param page the path of the page below the root of the project
 * @param line the line, counted from one
 * @param text the problem
 */
public record Problem(String page, int line, String text) implements Comparable<Problem> {

    private static final Comparator<Problem> ORDER =
            Comparator.comparing(Problem::page).thenComparingInt(Problem::line).thenComparing(Problem::text);

    public static Problem at(Page page, int line, String text) {
        return new Problem(page.path(), line, text);
    }

    @Override
    public int compareTo(Problem other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return this.page + ":" + this.line + ": " + this.text;
    }
}

package io.github.lockstarter.docstests;

import io.github.lockstarter.docstests.markdown.Page;
import java.util.List;
import java.util.stream.Stream;

/** Manuals of a few lines, for tests of the checks, beside the code of this project. */
public final class Pages {

    private Pages() {}

    /** Returns the problems of a page on its own, as {@code line: text}. */
    public static List<String> problems(ManualCheck check, String page) {
        return problems(check, Page.of("docs/reference/example.md", page));
    }

    /** Returns the problems of some pages, as {@code line: text}. */
    public static List<String> problems(ManualCheck check, Page... pages) {
        return check.check(new Manual(Manual.projectRoot(), Stream.of(pages).toList())).stream()
                .sorted()
                .map(problem -> problem.line() + ": " + problem.text())
                .toList();
    }
}

package io.github.lockstarter.docstests.structure;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.markdown.Page;
import io.github.lockstarter.docstests.markdown.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Pages begin with their title, those of the manual are in its index, the README is short, and tables have as many
 * cells in each row as in their header.
 */
public final class Outline implements ManualCheck {

    private static final String INDEX = "docs/README.md";

    private static final int LINES_OF_THE_README = 220;

    @Override
    public List<Problem> check(Manual manual) {
        Set<String> indexed = manual.page(INDEX).stream()
                .flatMap(index -> index.links().stream().map(link -> index.resolve(link.path())))
                .collect(Collectors.toSet());
        List<Problem> problems = new ArrayList<>();
        for (Page page : manual.pages()) {
            if (page.lines().isEmpty() || !page.lines().get(0).startsWith("# ")) {
                problems.add(Problem.at(page, 1, "does not begin with a title"));
            }
            if (page.headings().stream().filter(heading -> heading.level() == 1).count() > 1) {
                problems.add(Problem.at(page, 1, "has more than one title"));
            }
            if (isIndexed(page) && !indexed.contains(page.path())) {
                problems.add(Problem.at(page, 1, "is not in " + INDEX));
            }
            if (page.path().equals("README.md") && page.lines().size() > LINES_OF_THE_README) {
                problems.add(Problem.at(page, page.lines().size(), "has more than " + LINES_OF_THE_README + " lines"));
            }
            page.tables().forEach(table -> addRaggedRows(page, table, problems));
        }
        return problems;
    }

    private static boolean isIndexed(Page page) {
        return page.path().startsWith("docs/reference/")
                || page.path().startsWith("docs/migration/")
                || page.path().equals("docs/operations.md")
                || page.path().equals("docs/verification.md");
    }

    private static void addRaggedRows(Page page, Table table, List<Problem> problems) {
        for (int i = 0; i < table.rows().size(); i++) {
            int cells = table.rows().get(i).size();
            if (cells != table.header().size()) {
                problems.add(Problem.at(
                        page,
                        table.pageLine(i),
                        "has " + cells + " cells instead of " + table.header().size()));
            }
        }
    }
}

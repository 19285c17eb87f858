package io.github.lockstarter.docstests.messages;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.markdown.CodeSpan;
import io.github.lockstarter.docstests.markdown.Page;
import io.github.lockstarter.docstests.markdown.Table;
import io.github.lockstarter.docstests.markdown.TextBlock;
import io.github.lockstarter.docstests.project.StringLiterals;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * In a column of log lines or messages, what is in backticks is quoted from the code: each part between variables,
 * which are written as {@code <…>}, is a part of a literal, or of several that the code joins.
 */
public final class QuotedMessages implements ManualCheck {

    private static final String[] COLUMNS = {"Log line", "Message", "日志", "消息"};

    private static final Pattern VARIABLE = Pattern.compile("<[^<>]+>|…");

    /** Shorter parts, such as quotes and spaces, are found everywhere. */
    private static final int SHORTEST = 5;

    @Override
    public List<Problem> check(Manual manual) {
        Quotes quotes = new Quotes(StringLiterals.of(manual.root()));
        List<Problem> problems = new ArrayList<>();
        for (Page page : manual.pages()) {
            for (Table table : page.tables()) {
                int column = table.column(COLUMNS);
                for (int i = 0; column >= 0 && i < table.rows().size(); i++) {
                    check(page, table, i, column, quotes, problems);
                }
            }
        }
        return problems;
    }

    private static void check(Page page, Table table, int row, int column, Quotes quotes, List<Problem> problems) {
        List<String> cells = table.rows().get(row);
        if (column >= cells.size()) {
            return;
        }
        for (CodeSpan message : new TextBlock(1, cells.get(column)).codeSpans()) {
            VARIABLE.splitAsStream(message.text())
                    .filter(part -> part.length() >= SHORTEST)
                    .filter(part -> !quotes.contain(part))
                    .forEach(part -> problems.add(
                            Problem.at(page, table.pageLine(row), "no literals of the code have \"" + part + "\"")));
        }
    }
}

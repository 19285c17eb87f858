package io.github.lockstarter.docstests.configuration;

import io.github.lockstarter.docstests.markdown.CodeSpan;
import io.github.lockstarter.docstests.markdown.Page;
import io.github.lockstarter.docstests.markdown.Table;
import io.github.lockstarter.docstests.markdown.TextBlock;
import java.util.ArrayList;
import java.util.List;

/**
 * A row of a table of properties.
 *
 * @param line the line of the page
 * @param name the full name of the property
 * @param defaultValue the cell of its default
 * @param description the last cell
 */
record PropertyRow(int line, String name, String defaultValue, String description) {

    /**
     * Returns the rows of tables of properties: they have a column of defaults, a prefix as header, or settings of one
     * lock.
     */
    static List<PropertyRow> of(Page page) {
        List<PropertyRow> rows = new ArrayList<>();
        for (Table table : page.tables()) {
            String prefix = prefix(table);
            int defaults = table.column("Default", "Default value", "默认值", "默认");
            if (prefix.isEmpty() && defaults < 0) {
                continue;
            }
            for (int i = 0; i < table.rows().size(); i++) {
                List<String> cells = table.rows().get(i);
                for (CodeSpan name : spans(cells.get(0))) {
                    rows.add(new PropertyRow(
                            table.pageLine(i),
                            isFull(name.text()) ? name.text() : prefix + name.text(),
                            defaults < 0 || defaults >= cells.size() ? "" : cells.get(defaults),
                            cells.get(cells.size() - 1)));
                }
            }
        }
        return rows;
    }

    /** Returns the prefix that the header gives to the names below it, or an empty text. */
    private static String prefix(Table table) {
        return spans(table.header().get(0)).stream()
                .map(CodeSpan::text)
                .filter(text -> text.startsWith("distributed-lock."))
                .map(text -> text.endsWith("…") ? text.substring(0, text.length() - 1) : text)
                .findFirst()
                .orElseGet(() -> isOfOneLock(table) ? Metadata.NAMED + ".<name>." : "");
    }

    /** Returns whether a table lists settings of one lock; one of examples has a few of them only. */
    private static boolean isOfOneLock(Table table) {
        List<String> settings = Metadata.settingsOfOneLock();
        long listed = table.rows().stream()
                .flatMap(row -> spans(row.get(0)).stream())
                .filter(name -> settings.contains(name.text()))
                .count();
        return listed * 2 >= settings.size();
    }

    private static boolean isFull(String name) {
        return name.startsWith("distributed-lock.") || name.startsWith("management.") || name.startsWith("spring.");
    }

    private static List<CodeSpan> spans(String cell) {
        return new TextBlock(1, cell).codeSpans();
    }

    /** Returns the first text in backticks of the default, or the cell itself. */
    String shownDefault() {
        return spans(this.defaultValue).stream().map(CodeSpan::text).findFirst().orElse(this.defaultValue);
    }
}

package io.github.lockstarter.docstests.markdown;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A table.
 *
 * @param line the line of the page in which its header stands, counted from one
 * @param header the cells of the header
 * @param rows the cells of the other rows
 */
public record Table(int line, List<String> header, List<List<String>> rows) {

    private static final Pattern BORDER = Pattern.compile("(?<!\\\\)\\|");

    public Table {
        header = List.copyOf(header);
        rows = List.copyOf(rows);
    }

    /** Returns the line of the page in which a row stands; rows are counted from zero. */
    public int pageLine(int row) {
        return this.line + 2 + row;
    }

    /** Returns the index of the first column with one of these headers, without regard to case, or -1. */
    public int column(String... names) {
        return IntStream.range(0, this.header.size())
                .filter(i -> List.of(names).stream().anyMatch(this.header.get(i)::equalsIgnoreCase))
                .findFirst()
                .orElse(-1);
    }

    /** Returns the cells of a line of Markdown. As on GitHub, a bar in code must be escaped. */
    static List<String> cells(String line) {
        String row = line.strip();
        String inner = row.substring(1, row.endsWith("|") && row.length() > 1 ? row.length() - 1 : row.length());
        return BORDER.splitAsStream(inner + "|\u0000")
                .filter(cell -> !cell.equals("\u0000"))
                .map(String::strip)
                .toList();
    }
}

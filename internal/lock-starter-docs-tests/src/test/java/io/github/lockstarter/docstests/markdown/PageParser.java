package io.github.lockstarter.docstests.markdown;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the part of Markdown that the manual uses. */
final class PageParser {

    private static final Pattern FENCE = Pattern.compile("(\\s*)(```+|~~~+)\\s*([^`\\s]*)[^`]*");

    private static final Pattern HEADING = Pattern.compile("(#{1,6}) (.+?)\\s*#*");

    private static final Pattern DIVIDER = Pattern.compile("\\s*\\|?\\s*:?-+:?\\s*(\\|\\s*:?-+:?\\s*)*\\|?\\s*");

    private final List<String> lines;

    private final List<Fence> fences = new ArrayList<>();

    private final List<Comment> comments = new ArrayList<>();

    private final List<Heading> headings = new ArrayList<>();

    private final List<Table> tables = new ArrayList<>();

    private final List<TextBlock> texts = new ArrayList<>();

    private final Anchors anchors = new Anchors();

    private int next;

    PageParser(List<String> lines) {
        this.lines = lines;
    }

    Page parse(String path) {
        while (this.next < this.lines.size()) {
            String line = this.lines.get(this.next);
            Matcher fence = FENCE.matcher(line);
            if (fence.matches()) {
                fence(fence);
            } else if (line.strip().startsWith("<!--")) {
                comment();
            } else if (HEADING.matcher(line).matches()) {
                heading(line);
            } else if (isTable()) {
                table();
            } else if (line.isBlank()) {
                this.next++;
            } else {
                paragraph();
            }
        }
        return new Page(path, this.lines, this.fences, this.comments, this.headings, this.tables, this.texts);
    }

    private void fence(Matcher open) {
        int line = ++this.next;
        List<String> code = new ArrayList<>();
        while (this.next < this.lines.size()
                && !this.lines.get(this.next).strip().equals(open.group(2))) {
            code.add(withoutIndent(this.lines.get(this.next++), open.group(1).length()));
        }
        this.next++;
        this.fences.add(new Fence(line, open.group(3), code));
    }

    private static String withoutIndent(String line, int indent) {
        int spaces = 0;
        while (spaces < Math.min(indent, line.length()) && line.charAt(spaces) == ' ') {
            spaces++;
        }
        return line.substring(spaces);
    }

    private void comment() {
        int line = this.next + 1;
        List<String> content = new ArrayList<>();
        String rest = this.lines.get(this.next++).strip().substring("<!--".length());
        while (!rest.contains("-->") && this.next < this.lines.size()) {
            content.add(rest);
            rest = this.lines.get(this.next++);
        }
        int end = rest.indexOf("-->");
        content.add(end < 0 ? rest : rest.substring(0, end));
        this.comments.add(new Comment(line, content));
    }

    private void heading(String line) {
        Matcher heading = HEADING.matcher(line);
        if (heading.matches()) {
            String text = heading.group(2);
            this.headings.add(new Heading(this.next + 1, heading.group(1).length(), text, this.anchors.next(text)));
            this.texts.add(new TextBlock(this.next + 1, text));
        }
        this.next++;
    }

    private boolean isTable() {
        return isRow(this.next)
                && this.next + 1 < this.lines.size()
                && DIVIDER.matcher(this.lines.get(this.next + 1)).matches();
    }

    private boolean isRow(int index) {
        return index < this.lines.size() && this.lines.get(index).strip().startsWith("|");
    }

    private void table() {
        int line = this.next + 1;
        List<String> header = row();
        this.next++;
        List<List<String>> rows = new ArrayList<>();
        while (isRow(this.next)) {
            rows.add(row());
        }
        this.tables.add(new Table(line, header, rows));
    }

    private List<String> row() {
        String line = this.lines.get(this.next++);
        this.texts.add(new TextBlock(this.next, line));
        return Table.cells(line);
    }

    private void paragraph() {
        int first = this.next;
        while (this.next < this.lines.size() && !endsParagraph(this.lines.get(this.next))) {
            this.next++;
        }
        this.next = Math.max(this.next, first + 1);
        this.texts.add(new TextBlock(first + 1, String.join("\n", this.lines.subList(first, this.next))));
    }

    private boolean endsParagraph(String line) {
        return line.isBlank()
                || FENCE.matcher(line).matches()
                || line.strip().startsWith("<!--")
                || HEADING.matcher(line).matches()
                || isTable();
    }
}

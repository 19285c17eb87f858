package io.github.lockstarter.docstests.markdown;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A paragraph, a list, a heading, or one row of a table.
 *
 * @param line the line of the page in which it begins, counted from one
 * @param text its lines
 */
public record TextBlock(int line, String text) {

    private static final Pattern CODE = Pattern.compile("(?<!`)(`+)(?!`)(.+?)(?<!`)\\1(?!`)", Pattern.DOTALL);

    private static final Pattern LINK = Pattern.compile("]\\(\\s*([^)\\s]+)\\s*\\)");

    private static final Pattern ADDRESS = Pattern.compile("(?<!]\\()\\bhttps?://[^\\s<>)\"'，。；、）]+");

    /** Returns the texts in backticks. */
    public List<CodeSpan> codeSpans() {
        return CODE.matcher(this.text)
                .results()
                .map(span -> new CodeSpan(lineOf(span.start()), inOneLine(span.group(2))))
                .toList();
    }

    /** Returns the links, in the order of the text. */
    public List<Link> links() {
        String text = withoutCode();
        return Stream.concat(
                        LINK.matcher(text).results().map(found -> link(found, found.group(1))),
                        ADDRESS.matcher(text).results().map(found -> link(found, found.group())))
                .toList();
    }

    /** Returns the text with code and the targets of links left out, so that the positions stay. */
    public String prose() {
        return LINK.matcher(withoutCode())
                .replaceAll(found -> " ".repeat(found.group().length()));
    }

    /** Returns the line of the page of a position in the text. */
    public int lineOf(int position) {
        return this.line
                + (int) this.text
                        .substring(0, position)
                        .chars()
                        .filter(c -> c == '\n')
                        .count();
    }

    private Link link(MatchResult found, String target) {
        return new Link(lineOf(found.start()), target);
    }

    private String withoutCode() {
        return CODE.matcher(this.text).replaceAll(span -> span.group().replaceAll("[^\n]", "x"));
    }

    private static String inOneLine(String code) {
        return code.replaceAll("\\s*\n\\s*", " ").replace("\\|", "|").strip();
    }
}

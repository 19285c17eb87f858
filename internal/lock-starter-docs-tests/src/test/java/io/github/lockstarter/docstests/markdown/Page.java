package io.github.lockstarter.docstests.markdown;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A page of the manual.
 *
 * @param path the path below the root of the project, with slashes
 * @param lines all of its lines
 * @param fences its code blocks
 * @param comments its comments
 * @param headings its headings
 * @param tables its tables
 * @param texts all that is none of code and comments: paragraphs, lists, headings, rows of tables
 */
public record Page(
        String path,
        List<String> lines,
        List<Fence> fences,
        List<Comment> comments,
        List<Heading> headings,
        List<Table> tables,
        List<TextBlock> texts) {

    private static final Pattern ID = Pattern.compile("<a (?:id|name)=\"([^\"]+)\">");

    /** Reads a page from its text. */
    public static Page of(String path, String text) {
        return new PageParser(text.lines().toList()).parse(path);
    }

    public List<CodeSpan> codeSpans() {
        return this.texts.stream().flatMap(text -> text.codeSpans().stream()).toList();
    }

    public List<Link> links() {
        return this.texts.stream().flatMap(text -> text.links().stream()).toList();
    }

    public List<Fence> fences(String... languages) {
        return this.fences.stream().filter(fence -> fence.isOf(languages)).toList();
    }

    /** Returns the anchors that links to this page may have. */
    public Set<String> anchors() {
        return Stream.concat(
                        this.headings.stream().map(Heading::anchor),
                        this.lines.stream()
                                .flatMap(line -> ID.matcher(line).results())
                                .map(MatchResult::group)
                                .map(id -> ID.matcher(id).replaceAll("$1")))
                .collect(Collectors.toSet());
    }

    public boolean isChinese() {
        return this.path.contains("zh-CN");
    }

    /** Returns the path of another file that is named as a link of this page does. */
    public String resolve(String link) {
        if (link.isEmpty()) {
            return this.path;
        }
        int slash = this.path.lastIndexOf('/');
        List<String> parts =
                Arrays.asList((slash < 0 ? link : this.path.substring(0, slash + 1) + link).split("/", -1));
        return normalized(parts);
    }

    private static String normalized(List<String> parts) {
        Deque<String> kept = new ArrayDeque<>();
        for (String part : parts) {
            if (part.equals("..") && !kept.isEmpty() && !kept.getLast().equals("..")) {
                kept.removeLast();
            } else if (!part.equals(".") && !part.isEmpty()) {
                kept.addLast(part);
            }
        }
        return String.join("/", kept);
    }
}

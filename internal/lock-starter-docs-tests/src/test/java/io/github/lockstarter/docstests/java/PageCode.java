package io.github.lockstarter.docstests.java;

import io.github.lockstarter.docstests.markdown.Comment;
import io.github.lockstarter.docstests.markdown.Fence;
import io.github.lockstarter.docstests.markdown.Page;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A part of the Java code of a page: the lines of a fence, or of a comment that gives names to the fences after it.
 *
 * @param imports the imports, with their lines of the page
 * @param body the other lines, with empty ones in place of the imports
 * @param firstLine the line of the page in which the body begins
 */
record PageCode(Map<String, Integer> imports, List<String> body, int firstLine) {

    private static final Pattern GIVEN = Pattern.compile("\\s*given\\s*");

    private static final Pattern IMPORT = Pattern.compile("import [\\w.* ]+;.*");

    private static final Pattern PACKAGE = Pattern.compile("package [\\w.]+;.*");

    static PageCode of(Fence fence) {
        return of(fence.code(), fence.pageLine(0));
    }

    /** Returns what the comments of a page before a line define for the code after it. */
    static List<PageCode> given(Page page, int beforeLine) {
        return page.comments().stream()
                .filter(PageCode::isGiven)
                .filter(comment -> comment.line() < beforeLine)
                .map(comment ->
                        of(comment.content().subList(1, comment.content().size()), comment.line() + 1))
                .toList();
    }

    /** Returns whether a comment defines names. */
    static boolean isGiven(Comment comment) {
        return GIVEN.matcher(comment.content().get(0)).matches();
    }

    private static PageCode of(List<String> lines, int firstLine) {
        Map<String, Integer> imports = new LinkedHashMap<>();
        List<String> body = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            boolean isImport = IMPORT.matcher(line).matches();
            if (isImport) {
                imports.put(line, firstLine + i);
            }
            body.add(isImport || PACKAGE.matcher(line).matches() ? "" : line);
        }
        String code = Elisions.replaced(String.join("\n", body));
        return new PageCode(imports, List.of(code.split("\n", -1)), firstLine);
    }
}

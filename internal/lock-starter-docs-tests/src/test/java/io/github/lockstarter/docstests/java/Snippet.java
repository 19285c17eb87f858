package io.github.lockstarter.docstests.java;

import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.Resources;
import io.github.lockstarter.docstests.markdown.Fence;
import io.github.lockstarter.docstests.markdown.Page;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;

/**
 * The code of a fence in one wrapping, as a source file in a package of its own. Its class is inside one that has the
 * names given by the page, so that the code may define them again.
 */
final class Snippet extends SimpleJavaFileObject {

    private static final List<String> USUAL_IMPORTS = Resources.list("usual-imports.txt");

    private final Page page;

    private final Fence fence;

    private final StringBuilder source = new StringBuilder();

    /** For each line of the source, the line of the page that it comes from. */
    private final List<Integer> pageLines = new ArrayList<>();

    Snippet(Page page, Fence fence, Wrapping wrapping) {
        super(
                URI.create("string:///" + packageOf(page, fence, wrapping).replace('.', '/') + "/Snippet.java"),
                Kind.SOURCE);
        this.page = page;
        this.fence = fence;
        PageCode code = PageCode.of(fence);
        List<PageCode> given = PageCode.given(page, fence.line());
        add("package " + packageOf(page, fence, wrapping) + ";");
        USUAL_IMPORTS.forEach(type -> add("import " + type + ";"));
        given.forEach(comment -> comment.imports().forEach(this::add));
        code.imports().forEach(this::add);
        add("class Snippet {");
        given.forEach(this::add);
        add("class Code {");
        add(wrapping.before());
        add(code);
        add(wrapping.after());
        add("}}");
    }

    private static String packageOf(Page page, Fence fence, Wrapping wrapping) {
        return "snippets." + page.path().replaceAll("\\W", "_").toLowerCase(Locale.ROOT) + ".line" + fence.line() + "."
                + wrapping.name().toLowerCase(Locale.ROOT);
    }

    private void add(PageCode code) {
        for (int i = 0; i < code.body().size(); i++) {
            add(code.body().get(i), code.firstLine() + i);
        }
    }

    private void add(String line) {
        add(line, this.fence.line());
    }

    private void add(String line, int pageLine) {
        this.source.append(line).append('\n');
        this.pageLines.add(pageLine);
    }

    Fence fence() {
        return this.fence;
    }

    Page page() {
        return this.page;
    }

    /** Returns the line of the page for a line of this source, counted from one. */
    int pageLine(long sourceLine) {
        return sourceLine < 1 || sourceLine > this.pageLines.size()
                ? this.fence.line()
                : this.pageLines.get((int) sourceLine - 1);
    }

    Problem problem(Diagnostic<? extends JavaFileObject> error) {
        String message = error.getMessage(Locale.ENGLISH).replaceAll("\\s*\n\\s*", " ");
        return Problem.at(this.page, pageLine(error.getLineNumber()), message);
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return this.source;
    }
}

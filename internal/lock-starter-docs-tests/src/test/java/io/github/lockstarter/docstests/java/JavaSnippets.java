package io.github.lockstarter.docstests.java;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.markdown.Fence;
import io.github.lockstarter.docstests.markdown.Page;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Compiles all fences of Java. A fence may be types or members of a class, statements, or annotations: all of that is
 * parsed, then the first that parses is compiled, and only where that fails, the next one.
 */
public final class JavaSnippets implements ManualCheck {

    private final SnippetCompiler compiler = new SnippetCompiler();

    @Override
    public List<Problem> check(Manual manual) {
        Map<Fence, List<Snippet>> wrapped = new LinkedHashMap<>();
        for (Page page : manual.pages()) {
            for (Fence fence : page.fences("java")) {
                wrapped.put(fence, wrapped(page, fence));
            }
        }
        Map<Fence, List<Problem>> problems = new LinkedHashMap<>();
        Map<Fence, List<Snippet>> parsed = parsed(wrapped, problems);
        for (int choice = 0; !parsed.isEmpty(); choice++) {
            compile(parsed, choice, problems);
        }
        return problems.values().stream().flatMap(List::stream).toList();
    }

    private static List<Snippet> wrapped(Page page, Fence fence) {
        boolean annotated = fence.text().stripLeading().startsWith("@");
        return Stream.of(Wrapping.values())
                .filter(wrapping -> annotated || wrapping.compareTo(Wrapping.ANNOTATIONS_OF_A_TYPE) < 0)
                .map(wrapping -> new Snippet(page, fence, wrapping))
                .toList();
    }

    /**
     * Returns the wrappings of each fence whose syntax is right. If there is none, the one with the fewest errors
     * counts.
     */
    private Map<Fence, List<Snippet>> parsed(Map<Fence, List<Snippet>> wrapped, Map<Fence, List<Problem>> problems) {
        SnippetCompiler.Result syntax = this.compiler.parse(
                wrapped.values().stream().flatMap(List::stream).toList());
        Map<Fence, List<Snippet>> parsed = new LinkedHashMap<>();
        wrapped.forEach((fence, snippets) -> {
            List<Snippet> right = snippets.stream()
                    .filter(snippet -> syntax.errorsOf(snippet).isEmpty())
                    .toList();
            if (right.isEmpty()) {
                snippets.forEach(snippet -> keepFewest(problems, snippet, problems(syntax, snippet)));
            } else {
                parsed.put(fence, right);
            }
        });
        return parsed;
    }

    /** Compiles one wrapping of each fence, and removes the fences that are decided by that. */
    private void compile(Map<Fence, List<Snippet>> parsed, int choice, Map<Fence, List<Problem>> problems) {
        List<Snippet> chosen =
                parsed.values().stream().map(snippets -> snippets.get(choice)).toList();
        SnippetCompiler.Result result = this.compiler.analyze(chosen);
        for (Snippet snippet : chosen) {
            List<Problem> found = problems(result, snippet);
            if (found.isEmpty()) {
                problems.put(
                        snippet.fence(),
                        KeyVariables.problems(snippet, result.trees().get(snippet)));
            } else {
                keepFewest(problems, snippet, found);
            }
            if (found.isEmpty() || choice + 1 == parsed.get(snippet.fence()).size()) {
                parsed.remove(snippet.fence());
            }
        }
    }

    private static void keepFewest(Map<Fence, List<Problem>> problems, Snippet snippet, List<Problem> found) {
        problems.merge(snippet.fence(), found, (a, b) -> b.size() < a.size() ? b : a);
    }

    private static List<Problem> problems(SnippetCompiler.Result result, Snippet snippet) {
        return new ArrayList<>(
                result.errorsOf(snippet).stream().map(snippet::problem).toList());
    }
}

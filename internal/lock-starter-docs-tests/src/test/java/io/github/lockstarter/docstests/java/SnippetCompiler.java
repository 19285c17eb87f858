package io.github.lockstarter.docstests.java;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Runs javac on many snippets at once, without annotation processors and without output. */
final class SnippetCompiler {

    private static final List<String> OPTIONS = List.of(
            "--release",
            "17",
            "-proc:none",
            "-parameters",
            "-nowarn",
            "-Xmaxerrs",
            "100000",
            "--should-stop=ifError=FLOW");

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** One for all runs, because each would read the indexes of all jars of the class path again. */
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    /** Errors of each snippet, and the syntax tree of each. */
    record Result(
            Map<Snippet, List<Diagnostic<? extends JavaFileObject>>> errors, Map<Snippet, CompilationUnitTree> trees) {

        List<Diagnostic<? extends JavaFileObject>> errorsOf(Snippet snippet) {
            return this.errors.getOrDefault(snippet, List.of());
        }
    }

    /** Checks only the syntax. */
    Result parse(Collection<Snippet> snippets) {
        return run(snippets, false);
    }

    /** Checks everything. No snippet may have errors in its syntax: javac would leave out all others. */
    Result analyze(Collection<Snippet> snippets) {
        return run(snippets, true);
    }

    private Result run(Collection<Snippet> snippets, boolean analyze) {
        Result result = new Result(new LinkedHashMap<>(), new LinkedHashMap<>());
        if (snippets.isEmpty()) {
            return result;
        }
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        List<String> options = new ArrayList<>(OPTIONS);
        options.addAll(List.of("-cp", System.getProperty("java.class.path")));
        Map<URI, Snippet> sources = snippets.stream().collect(Collectors.toMap(Snippet::toUri, snippet -> snippet));
        JavacTask task = (JavacTask) COMPILER.getTask(null, FILES, diagnostics, options, null, snippets);
        try {
            for (CompilationUnitTree tree : task.parse()) {
                result.trees().put(snippet(sources, tree.getSourceFile()), tree);
            }
            if (analyze) {
                task.analyze();
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        for (Diagnostic<? extends JavaFileObject> diagnostic : diagnostics.getDiagnostics()) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                result.errors()
                        .computeIfAbsent(snippet(sources, diagnostic.getSource()), snippet -> new ArrayList<>())
                        .add(diagnostic);
            }
        }
        return result;
    }

    /** Returns the snippet of a file, which javac has wrapped; an error of none is one of the options. */
    private static Snippet snippet(Map<URI, Snippet> sources, @Nullable JavaFileObject file) {
        return Objects.requireNonNull(sources.get(Objects.requireNonNull(file).toUri()));
    }
}

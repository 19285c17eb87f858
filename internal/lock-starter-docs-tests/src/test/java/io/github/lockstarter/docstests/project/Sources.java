package io.github.lockstarter.docstests.project;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The files of a project that are not documents or outputs.
 *
 * @param texts their paths, absolute
 */
public record Sources(List<Path> texts) {

    private static final Pattern TEXT =
            Pattern.compile(".*\\.(java|kt|lua|yml|yaml|xml|json|properties|html|js|sh)|.*/run");

    /** Outputs, documents, and this module, whose tests have wrong names on purpose. */
    private static final Set<String> SKIPPED =
            Set.of("target", ".git", "data", "docs", "node_modules", "lock-starter-docs-tests");

    private static final Map<Path, Sources> READ = new ConcurrentHashMap<>();

    /** Returns the files below a directory. They are listed once. */
    public static Sources of(Path root) {
        return READ.computeIfAbsent(root, Sources::walk);
    }

    private static Sources walk(Path root) {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    boolean skipped = SKIPPED.contains(directory.getFileName().toString());
                    return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (TEXT.matcher(file.toString()).matches()) {
                        files.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        return new Sources(files);
    }

    /** Returns the files in Java and Kotlin. */
    public List<Path> code() {
        return this.texts.stream()
                .filter(file ->
                        file.toString().endsWith(".java") || file.toString().endsWith(".kt"))
                .toList();
    }

    /** Returns the files in Java and Kotlin that are not those of tests. */
    public List<Path> main() {
        Path main = Path.of("src", "main");
        return code().stream().filter(file -> contains(file, main)).toList();
    }

    private static boolean contains(Path file, Path part) {
        return ('/' + file.toString().replace('\\', '/'))
                .contains("/" + part.toString().replace('\\', '/') + "/");
    }

    /** Returns the text of a source. */
    public static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}

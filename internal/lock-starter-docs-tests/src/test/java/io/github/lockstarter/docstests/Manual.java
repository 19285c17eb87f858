package io.github.lockstarter.docstests;

import io.github.lockstarter.docstests.markdown.Page;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The pages of the manual.
 *
 * @param root the root of the project that they describe
 * @param pages the pages
 */
public record Manual(Path root, List<Page> pages) {

    private static final List<String> PAGES_OF_THE_ROOT =
            List.of("README.md", "README.zh-CN.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md");

    /** Returns the root of this project, or of the one that {@code -Dmanual.root} names. */
    public static Path projectRoot() {
        return Path.of(System.getProperty("manual.root", "../.."))
                .toAbsolutePath()
                .normalize();
    }

    /** Reads all pages of a project. */
    public static Manual read(Path root) {
        try (Stream<Path> docs = Files.walk(root.resolve("docs"))) {
            Stream<Path> pages = Stream.concat(PAGES_OF_THE_ROOT.stream().map(root::resolve), docs);
            return new Manual(
                    root,
                    pages.filter(path -> path.toString().endsWith(".md") && Files.exists(path))
                            .sorted()
                            .map(path -> read(root, path))
                            .toList());
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static Page read(Path root, Path page) {
        try {
            return Page.of(root.relativize(page).toString().replace('\\', '/'), Files.readString(page));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Returns the page at a path below the root. */
    public Optional<Page> page(String path) {
        return this.pages.stream().filter(page -> page.path().equals(path)).findAny();
    }

    /** Returns whether a file or directory exists, or is one of the pages. */
    public boolean exists(String path) {
        return page(path).isPresent() || Files.exists(this.root.resolve(path));
    }
}

package io.github.lockstarter.docstests;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Texts beside these classes; in lists, an entry is a line, and comments begin with a hash and a space. */
public final class Resources {

    private Resources() {}

    /** Returns the entries of a list. */
    public static List<String> list(String name) {
        return text(name)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.equals("#") && !line.startsWith("# "))
                .toList();
    }

    /** Returns a text. */
    public static String text(String name) {
        try (InputStream text = Objects.requireNonNull(Resources.class.getResourceAsStream(name), name)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}

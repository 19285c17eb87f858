package io.github.lockstarter.docstests;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Lists beside these classes: one entry a line, with comments that begin with a hash and a space. */
public final class Resources {

    private Resources() {}

    /** Returns the entries of a list. */
    public static List<String> list(String name) {
        try (InputStream list = Objects.requireNonNull(Resources.class.getResourceAsStream(name), name)) {
            return new String(list.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.equals("#") && !line.startsWith("# "))
                    .toList();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}

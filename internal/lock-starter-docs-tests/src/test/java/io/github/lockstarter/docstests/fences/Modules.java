package io.github.lockstarter.docstests.fences;

import io.github.lockstarter.docstests.project.Sources;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The artifacts of the modules that the build of a project lists. */
final class Modules {

    private static final Pattern MODULE = Pattern.compile("<module>(?:[^<]+/)?([^</]+)</module>");

    private Modules() {}

    static Set<String> of(Path root) {
        return MODULE.matcher(Sources.text(root.resolve("pom.xml")))
                .results()
                .map(module -> module.group(1))
                .collect(Collectors.toSet());
    }
}

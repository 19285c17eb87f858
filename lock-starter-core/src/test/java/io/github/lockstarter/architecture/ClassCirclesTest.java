package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRegistry;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Circles of dependencies in core, computed from its byte code as strongly connected components: of its top-level classes,
 * to which nested classes count, and of its packages.
 */
class ClassCirclesTest {

    private static final int MOST_CLASSES = 3;

    /** A state machine, its inputs and its effects depend on each other. */
    private static final int MOST_CLASSES_OF_THE_ENGINE = 8;

    private static final String ROOT = "io.github.lockstarter.";

    /** A line of jdeps between two classes of core; what follows a $ is nested. */
    private static final Pattern DEPENDENCY = Pattern.compile(
            "^\\s+(io\\.github\\.lockstarter\\.[\\w.]+)\\S*\\s+->\\s+(io\\.github\\.lockstarter\\.[\\w.]+)",
            Pattern.MULTILINE);

    private final Map<String, Set<String>> classes = dependencies();

    @Test
    void classesShouldHaveSmallCirclesOnly() {
        List<Set<String>> circles = Circles.in(named(type -> type.substring(ROOT.length())));

        assertThat(circles)
                .as("circles of classes:%n%s", lines(circles))
                .allSatisfy(circle -> assertThat(circle)
                        .hasSizeLessThanOrEqualTo(
                                circle.stream().allMatch(type -> type.startsWith("engine."))
                                        ? MOST_CLASSES_OF_THE_ENGINE
                                        : MOST_CLASSES));
    }

    @Test
    void packagesShouldHaveNoCircles() {
        List<Set<String>> circles = Circles.in(named(type -> type.substring(0, type.lastIndexOf('.'))));

        assertThat(circles).as("circles of packages:%n%s", lines(circles)).isEmpty();
    }

    /** A circle that is not found would be a test that cannot fail. */
    @Test
    void shouldFindCircles() {
        Map<String, Set<String>> graph = Map.of(
                "a", Set.of("b"),
                "b", Set.of("c", "d"),
                "c", Set.of("a"),
                "d", Set.of("e"),
                "e", Set.of("d"),
                "f", Set.of("a"));

        assertThat(Circles.in(graph)).containsExactly(Set.of("a", "b", "c"), Set.of("d", "e"));
    }

    /** Returns the graph with each node renamed; nodes of the same name become one. */
    private Map<String, Set<String>> named(UnaryOperator<String> name) {
        Map<String, Set<String>> graph = new TreeMap<>();
        this.classes.forEach((type, targets) -> {
            Set<String> names = graph.computeIfAbsent(name.apply(type), key -> new TreeSet<>());
            targets.forEach(target -> names.add(name.apply(target)));
        });
        return graph;
    }

    /** The dependencies of each top-level class of core on the others, as jdeps reads them from the constant pools. */
    private static Map<String, Set<String>> dependencies() {
        Map<String, Set<String>> graph = new TreeMap<>();
        Matcher dependency = DEPENDENCY.matcher(jdeps("-v", "--multi-release", "base", "--ignore-missing-deps"));
        while (dependency.find()) {
            graph.computeIfAbsent(dependency.group(1), key -> new TreeSet<>()).add(dependency.group(2));
        }
        return graph;
    }

    private static String jdeps(String... options) {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.add(ownCode().toString());
        StringWriter output = new StringWriter();
        PrintWriter printer = new PrintWriter(output);
        int result = ToolProvider.findFirst("jdeps")
                .orElseThrow(() -> new AssertionError("tests need a JDK"))
                .run(printer, printer, arguments.toArray(String[]::new));
        printer.flush();
        assertThat(result).as("jdeps: %s", output).isZero();
        return output.toString();
    }

    private static Path ownCode() {
        try {
            return Path.of(LockRegistry.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException ex) {
            throw new AssertionError(ex);
        }
    }

    private static String lines(List<Set<String>> circles) {
        return circles.stream()
                .map(circle -> circle.size() + " " + String.join(" ", circle))
                .collect(Collectors.joining("\n"));
    }
}

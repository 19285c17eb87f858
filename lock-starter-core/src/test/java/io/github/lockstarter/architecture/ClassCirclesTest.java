package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Circles of dependencies in core, computed from its byte code as strongly connected components: of its top-level
 * classes, to which nested classes count, and of its packages.
 */
class ClassCirclesTest {

    private static final int MAX_CLASSES = 3;

    /** A state machine, its inputs and its effects depend on each other. */
    private static final int MAX_CLASSES_OF_THE_MACHINE = 8;

    private static final String ROOT = "io.github.lockstarter.";

    private final Map<String, Set<String>> classes = dependencies();

    @Test
    void classesShouldHaveSmallCirclesOnly() {
        List<Set<String>> circles = circlesIn(named(type -> type.substring(ROOT.length())));

        assertThat(circles)
                .as("circles of classes:%n%s", lines(circles))
                .allSatisfy(circle -> assertThat(circle)
                        .hasSizeLessThanOrEqualTo(
                                circle.stream().allMatch(type -> type.startsWith("lock."))
                                        ? MAX_CLASSES_OF_THE_MACHINE
                                        : MAX_CLASSES));
    }

    @Test
    void packagesShouldHaveNoCircles() {
        List<Set<String>> circles = circlesIn(named(type -> type.substring(0, type.lastIndexOf('.'))));

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

        assertThat(circlesIn(graph)).containsExactly(Set.of("a", "b", "c"), Set.of("d", "e"));
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

    /** The dependencies of each top-level class of core on the others. */
    private static Map<String, Set<String>> dependencies() {
        Map<String, Set<String>> graph = new TreeMap<>();
        new ClassFileImporter()
                .importLocations(new ArchitectureTest.MainCode().get(ClassCirclesTest.class)).stream()
                        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                        .forEach(dependency -> {
                            String from = topLevel(dependency.getOriginClass());
                            String to = topLevel(dependency.getTargetClass());
                            if (to.startsWith(ROOT) && !to.equals(from)) {
                                graph.computeIfAbsent(from, key -> new TreeSet<>())
                                        .add(to);
                            }
                        });
        assertThat(graph).hasSizeGreaterThan(50);
        return graph;
    }

    private static String topLevel(JavaClass type) {
        return type.getBaseComponentType().getName().replaceFirst("\\$.*", "");
    }

    /** Returns the strongly connected components with more than one node, the largest first. */
    private static List<Set<String>> circlesIn(Map<String, Set<String>> graph) {
        Map<String, Set<String>> reachable = new TreeMap<>();
        graph.keySet()
                .forEach(node -> addReachable(graph, node, reachable.computeIfAbsent(node, key -> new TreeSet<>())));
        Set<Set<String>> circles = new HashSet<>();
        reachable.forEach((node, targets) -> {
            Set<String> circle = targets.stream()
                    .filter(target -> reachable.getOrDefault(target, Set.of()).contains(node))
                    .collect(Collectors.toCollection(TreeSet::new));
            if (circle.size() > 1) {
                circles.add(circle);
            }
        });
        return circles.stream()
                .sorted(Comparator.<Set<String>>comparingInt(Set::size).reversed())
                .toList();
    }

    private static void addReachable(Map<String, Set<String>> graph, String node, Set<String> reached) {
        for (String target : graph.getOrDefault(node, Set.of())) {
            if (reached.add(target)) {
                addReachable(graph, target, reached);
            }
        }
    }

    private static String lines(List<Set<String>> circles) {
        return circles.stream()
                .map(circle -> circle.size() + " " + String.join(" ", circle))
                .collect(Collectors.joining("\n"));
    }
}

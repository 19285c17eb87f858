package io.github.lockstarter.architecture;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Strongly connected components of a graph with more than one node.
 *
 * @see <a href="https://en.wikipedia.org/wiki/Tarjan%27s_strongly_connected_components_algorithm">Tarjan's algorithm</a>
 */
final class Circles {

    private final Map<String, Set<String>> graph;

    private final Map<String, Integer> index = new HashMap<>();

    private final Map<String, Integer> lowest = new HashMap<>();

    private final Deque<String> stack = new ArrayDeque<>();

    private final List<Set<String>> found = new ArrayList<>();

    private Circles(Map<String, Set<String>> graph) {
        this.graph = graph;
    }

    /** Returns the circles, the largest first. */
    static List<Set<String>> in(Map<String, Set<String>> graph) {
        Circles circles = new Circles(graph);
        graph.keySet().stream()
                .sorted()
                .filter(node -> !circles.index.containsKey(node))
                .forEach(circles::visit);
        circles.found.sort(Comparator.<Set<String>>comparingInt(Set::size).reversed());
        return circles.found;
    }

    private void visit(String node) {
        this.index.put(node, this.index.size());
        this.lowest.put(node, this.index.get(node));
        this.stack.push(node);
        for (String target : this.graph.getOrDefault(node, Set.of())) {
            if (!this.index.containsKey(target)) {
                visit(target);
                this.lowest.merge(node, this.lowest.get(target), Math::min);
            } else if (this.stack.contains(target)) {
                this.lowest.merge(node, this.index.get(target), Math::min);
            }
        }
        if (this.lowest.get(node).equals(this.index.get(node))) {
            Set<String> component = new TreeSet<>();
            String member;
            do {
                member = this.stack.pop();
                component.add(member);
            } while (!member.equals(node));
            if (component.size() > 1) {
                this.found.add(component);
            }
        }
    }
}

package io.github.lockstarter.docstests.structure;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.markdown.Link;
import io.github.lockstarter.docstests.markdown.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The links of a translated page lead where those of the original do, in any order. */
final class TranslatedLinks {

    private final Manual manual;

    TranslatedLinks(Manual manual) {
        this.manual = manual;
    }

    /** Returns the path of the English page or picture of a Chinese one. */
    static String english(String path) {
        return path.replace("docs/zh-CN/", "docs/").replace(".zh-CN.md", ".md").replace("-zh.png", ".png");
    }

    List<Problem> compare(Page english, Page chinese) {
        List<Problem> problems = new ArrayList<>();
        requireLink(english, chinese, problems);
        requireLink(chinese, english, problems);
        Map<String, Integer> missing = targets(english, english, chinese);
        Map<String, Integer> surplus = targets(chinese, english, chinese);
        Map<String, Integer> both = new TreeMap<>(missing);
        both.keySet().retainAll(surplus.keySet());
        missing.keySet().removeAll(both.keySet());
        surplus.keySet().removeAll(both.keySet());
        missing.forEach((target, line) -> problems.add(Problem.at(
                chinese, chinese.lines().size(), "has no link to " + target + ", as " + english.path() + ":" + line)));
        surplus.forEach((target, line) -> problems.add(
                Problem.at(chinese, line, "links to " + target + ", which " + english.path() + " does not")));
        return problems;
    }

    private static void requireLink(Page from, Page to, List<Problem> problems) {
        if (from.links().stream()
                .noneMatch(
                        link -> !link.isExternal() && from.resolve(link.path()).equals(to.path()))) {
            problems.add(Problem.at(from, 1, "has no link to " + to.path()));
        }
    }

    /** Returns the targets of links with their first lines, except those to the two pages as a whole. */
    private Map<String, Integer> targets(Page page, Page english, Page chinese) {
        Map<String, Integer> targets = new TreeMap<>();
        for (Link link : page.links()) {
            String target = target(page, link);
            if (!target.equals(english.path()) && !target.equals(chinese.path())) {
                targets.putIfAbsent(target, link.line());
            }
        }
        return targets;
    }

    /** Returns a target as that of an English page, with the number of a heading in place of its translated anchor. */
    private String target(Page page, Link link) {
        if (link.isExternal()) {
            return link.target();
        }
        String path = page.resolve(link.path());
        if (link.anchor().isEmpty()) {
            return english(path);
        }
        int heading = this.manual.page(path).stream()
                .flatMapToInt(target -> IntStream.range(0, target.headings().size())
                        .filter(i -> target.headings().get(i).anchor().equals(link.anchor())))
                .findFirst()
                .orElse(-1);
        return english(path) + (heading < 0 ? "#" + link.anchor() : " (heading " + (heading + 1) + ")");
    }
}

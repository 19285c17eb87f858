package io.github.lockstarter.docstests.structure;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.markdown.Fence;
import io.github.lockstarter.docstests.markdown.Heading;
import io.github.lockstarter.docstests.markdown.Page;
import io.github.lockstarter.docstests.markdown.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;

/** A Chinese page has the headings, code, tables and links of the English one, and both link to each other. */
public final class Translations implements ManualCheck {

    private static final Pattern COMMENT =
            Pattern.compile("<!--.*?-->|(?<=^|\\s)(?:#|//|--)(?= ).*$|/\\*.*?\\*/", Pattern.MULTILINE | Pattern.DOTALL);

    @Override
    public List<Problem> check(Manual manual) {
        List<Problem> problems = new ArrayList<>();
        TranslatedLinks links = new TranslatedLinks(manual);
        for (Page chinese : manual.pages()) {
            if (chinese.isChinese()) {
                manual.page(TranslatedLinks.english(chinese.path()))
                        .ifPresentOrElse(
                                english -> {
                                    problems.addAll(compare(english, chinese));
                                    problems.addAll(links.compare(english, chinese));
                                },
                                () -> problems.add(Problem.at(chinese, 1, "there is no English page of this")));
            }
        }
        return problems;
    }

    private static List<Problem> compare(Page english, Page chinese) {
        List<Problem> problems = new ArrayList<>();
        problems.addAll(inOrder(
                english,
                chinese,
                Page::headings,
                Heading::line,
                (a, b) -> a.level() == b.level()
                        ? ""
                        : "is a heading of level " + b.level() + " instead of " + a.level()));
        problems.addAll(inOrder(english, chinese, Page::fences, Fence::line, Translations::difference));
        problems.addAll(inOrder(english, chinese, Page::tables, Table::line, Translations::difference));
        return problems;
    }

    private static <T> List<Problem> inOrder(
            Page english,
            Page chinese,
            Function<Page, List<T>> parts,
            ToIntFunction<T> line,
            BiFunction<T, T, String> difference) {
        List<T> original = parts.apply(english);
        List<T> translated = parts.apply(chinese);
        for (int i = 0; i < Math.max(original.size(), translated.size()); i++) {
            if (i >= original.size()) {
                return List.of(Problem.at(chinese, line.applyAsInt(translated.get(i)), "is not in " + english.path()));
            }
            String there = english.path() + ":" + line.applyAsInt(original.get(i));
            if (i >= translated.size()) {
                return List.of(Problem.at(chinese, chinese.lines().size(), "misses " + there));
            }
            String problem = difference.apply(original.get(i), translated.get(i));
            if (!problem.isEmpty()) {
                // the others are probably shifted
                return List.of(Problem.at(chinese, line.applyAsInt(translated.get(i)), problem + ", see " + there));
            }
        }
        return List.of();
    }

    private static String difference(Fence english, Fence chinese) {
        if (!english.language().equals(chinese.language())) {
            return "is a fence of " + chinese.language() + " instead of " + english.language();
        }
        return withoutComments(english).equals(withoutComments(chinese)) ? "" : "is other code";
    }

    private static List<String> withoutComments(Fence fence) {
        return COMMENT.matcher(fence.text())
                .replaceAll("")
                .lines()
                .map(String::stripTrailing)
                .filter(line -> !line.isBlank())
                .toList();
    }

    private static String difference(Table english, Table chinese) {
        String expected = english.rows().size() + " rows of " + english.header().size();
        String actual = chinese.rows().size() + " rows of " + chinese.header().size();
        return actual.equals(expected) ? "" : "is a table of " + actual + " cells instead of " + expected;
    }
}

package io.github.lockstarter.docstests.names;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.Resources;
import io.github.lockstarter.docstests.configuration.Metadata;
import io.github.lockstarter.docstests.markdown.CodeSpan;
import io.github.lockstarter.docstests.markdown.Page;
import io.github.lockstarter.docstests.project.Sources;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Each word in backticks is one of the project: of its code, its resources, its properties, of the code of the page,
 * or of a type that the page mentions. So a misspelled attribute, field or command is noticed that no other check
 * knows.
 */
public final class Words implements ManualCheck {

    /**
     * A word; the letter of an option that is written together with its value, as in {@code -Prelease}, is no part of
     * it.
     */
    private static final Pattern WORD =
            Pattern.compile("(?:(?<=(?:^|\\W)-[PDX])|(?<![A-Za-z])(?!(?<=-)[PDX][a-z]))[A-Za-z]{3,}");

    @Override
    public List<Problem> check(Manual manual) {
        Set<String> project = new HashSet<>();
        Sources.of(manual.root()).texts().forEach(file -> addWords(Sources.text(file), project));
        Metadata.get().names().forEach(name -> addWords(name, project));
        List.of("example-names.txt", "words.txt")
                .forEach(list -> addWords(String.join(" ", Resources.list(list)), project));
        KnownTypes types = KnownTypes.of(manual.root());
        return manual.pages().stream()
                .flatMap(page -> {
                    Set<String> known = PageNames.of(page, types);
                    return page.codeSpans().stream().flatMap(span -> unknown(page, span, project, known, types));
                })
                .toList();
    }

    private static void addWords(String text, Set<String> words) {
        WORD.matcher(text).results().map(MatchResult::group).forEach(words::add);
    }

    private static Stream<Problem> unknown(
            Page page, CodeSpan span, Set<String> project, Set<String> known, KnownTypes types) {
        return WORD.matcher(span.text())
                .results()
                .map(MatchResult::group)
                .filter(word -> !project.contains(word) && !known.contains(word) && !types.isType(word))
                .map(word -> Problem.at(page, span.line(), "unknown word " + word + " in `" + span.text() + "`"));
    }
}

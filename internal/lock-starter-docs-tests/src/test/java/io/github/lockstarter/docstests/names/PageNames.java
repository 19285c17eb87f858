package io.github.lockstarter.docstests.names;

import io.github.lockstarter.docstests.Resources;
import io.github.lockstarter.docstests.markdown.CodeSpan;
import io.github.lockstarter.docstests.markdown.Comment;
import io.github.lockstarter.docstests.markdown.Fence;
import io.github.lockstarter.docstests.markdown.Page;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The names that a page may use: those in its code, and the members of the types that it mentions. */
final class PageNames {

    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z]\\w*");

    private static final List<String> EXAMPLES = Resources.list("example-names.txt");

    private PageNames() {}

    static Set<String> of(Page page, KnownTypes types) {
        Set<String> names = new HashSet<>(EXAMPLES);
        page.fences().stream().map(Fence::text).forEach(code -> addIdentifiers(code, names));
        page.comments().stream()
                .map(Comment::content)
                .forEach(lines -> addIdentifiers(String.join("\n", lines), names));
        Set<String> mentioned = new HashSet<>(names);
        page.codeSpans().stream().map(CodeSpan::text).forEach(text -> addIdentifiers(text, mentioned));
        names.addAll(mentioned.stream()
                .filter(name -> Character.isUpperCase(name.charAt(0)))
                .flatMap(name -> types.members(name).stream())
                .flatMap(Set::stream)
                .collect(Collectors.toSet()));
        return names;
    }

    private static void addIdentifiers(String code, Set<String> names) {
        IDENTIFIER.matcher(code).results().map(MatchResult::group).forEach(names::add);
    }
}

package io.github.lockstarter.docstests.names;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.Resources;
import io.github.lockstarter.docstests.markdown.CodeSpan;
import io.github.lockstarter.docstests.markdown.Comment;
import io.github.lockstarter.docstests.markdown.Fence;
import io.github.lockstarter.docstests.markdown.Page;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Classes and methods in backticks exist: text that begins with a name in camel case, with members or without, or that is
 * a call. Names in the fences of a page and in its given code are known on that page.
 */
public final class CodeNames implements ManualCheck {

    /** A type, its members, and what may follow them in code; text that goes on otherwise is not code. */
    private static final Pattern TYPE =
            Pattern.compile("@?([A-Z]\\w*[a-z]\\w*)((?:[.#]\\w+)*)(?:[(<\\[,…].*|::.*|\\.…|\\.class.*)?", Pattern.DOTALL);

    private static final Pattern CALL = Pattern.compile("(?:[a-z]\\w*\\.)*([a-z]\\w*)\\(.*\\)", Pattern.DOTALL);

    private static final Pattern IDENTIFIER = Pattern.compile("\\w+");

    private static final Set<String> EXAMPLES = Set.copyOf(Resources.list("example-names.txt"));

    @Override
    public List<Problem> check(Manual manual) {
        KnownTypes types = new KnownTypes(manual.root());
        return manual.pages().stream()
                .flatMap(page -> {
                    Set<String> defined = defined(page, types);
                    return page.codeSpans().stream()
                            .flatMap(span -> problem(span, types, defined)
                                    .map(text -> Problem.at(page, span.line(), text))
                                    .stream());
                })
                .toList();
    }

    /** Returns the names in the code of a page, and the members of the types that the page mentions. */
    private static Set<String> defined(Page page, KnownTypes types) {
        Set<String> names = new HashSet<>(EXAMPLES);
        Stream.concat(
                        page.fences("java", "kotlin").stream().map(Fence::text),
                        page.comments().stream().map(Comment::content).map(lines -> String.join("\n", lines)))
                .flatMap(code -> IDENTIFIER.matcher(code).results())
                .forEach(name -> names.add(name.group()));
        Set<String> members = Stream.concat(names.stream(), page.codeSpans().stream().flatMap(CodeNames::typeIn))
                .filter(name -> Character.isUpperCase(name.charAt(0)))
                .flatMap(name -> types.members(name).stream())
                .flatMap(Set::stream)
                .collect(Collectors.toSet());
        names.addAll(members);
        return names;
    }

    private static Stream<String> typeIn(CodeSpan span) {
        Matcher type = TYPE.matcher(span.text());
        return type.matches() ? Stream.of(type.group(1)) : Stream.empty();
    }

    private static Optional<String> problem(CodeSpan span, KnownTypes types, Set<String> defined) {
        Matcher type = TYPE.matcher(span.text());
        if (type.matches()) {
            return problem(span, type.group(1), type.group(2), types, defined);
        }
        Matcher call = CALL.matcher(span.text());
        return call.matches() && !types.isMethod(call.group(1)) && !defined.contains(call.group(1))
                ? Optional.of("there is no method " + call.group(1) + "()")
                : Optional.empty();
    }

    private static Optional<String> problem(
            CodeSpan span, String type, String path, KnownTypes types, Set<String> defined) {
        if (!types.isType(type)) {
            boolean example = defined.contains(type) || EXAMPLES.contains(span.text());
            return example ? Optional.empty() : Optional.of("there is no class " + type + " in `" + span.text() + "`");
        }
        List<String> members = Pattern.compile("[.#]").splitAsStream(path).filter(name -> !name.isEmpty()).toList();
        if (members.isEmpty() || defined.contains(members.get(0)) || EXAMPLES.contains(type + "." + members.get(0))) {
            return Optional.empty();
        }
        String member = members.get(0);
        return types.members(type)
                .filter(names -> !names.contains(member) && !member.equals("class"))
                .map(names -> type + " has no member " + member);
    }
}

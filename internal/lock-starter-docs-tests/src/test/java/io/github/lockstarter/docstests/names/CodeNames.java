package io.github.lockstarter.docstests.names;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.Resources;
import io.github.lockstarter.docstests.markdown.CodeSpan;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Classes and methods in backticks exist: text that begins with a name in camel case, with members or without, or that
 * is a call. Names in the fences of a page and in its given code are known on that page. A word that is only
 * capitalized may be something else, such as the name of a button; {@link Words} knows it.
 */
public final class CodeNames implements ManualCheck {

    /** A type, its members, and what may follow them in code; text that goes on otherwise is not code. */
    private static final Pattern TYPE = Pattern.compile(
            "@?([A-Z]\\w*[a-z]\\w*)((?:[.#]\\w+)*)(?:[(<\\[,…].*|::.*|\\.…|\\.class.*)?", Pattern.DOTALL);

    private static final Pattern CAPITALIZED = Pattern.compile("[A-Z][a-z]+");

    private static final Pattern CALL = Pattern.compile("(?:[a-z]\\w*\\.)*([a-z]\\w*)\\(.*\\)", Pattern.DOTALL);

    private static final Set<String> EXAMPLES = Set.copyOf(Resources.list("example-names.txt"));

    @Override
    public List<Problem> check(Manual manual) {
        KnownTypes types = KnownTypes.of(manual.root());
        return manual.pages().stream()
                .flatMap(page -> {
                    Set<String> defined = PageNames.of(page, types);
                    return page.codeSpans().stream()
                            .flatMap(span ->
                                    problem(span, types, defined)
                                            .map(text -> Problem.at(page, span.line(), text))
                                            .stream());
                })
                .toList();
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
            boolean example = CAPITALIZED.matcher(span.text()).matches()
                    || defined.contains(type)
                    || EXAMPLES.contains(span.text());
            return example ? Optional.empty() : Optional.of("there is no class " + type + " in `" + span.text() + "`");
        }
        List<String> members = Pattern.compile("[.#]")
                .splitAsStream(path)
                .filter(name -> !name.isEmpty())
                .toList();
        if (members.isEmpty() || defined.contains(members.get(0)) || EXAMPLES.contains(type + "." + members.get(0))) {
            return Optional.empty();
        }
        String member = members.get(0);
        return types.members(type)
                .filter(names -> !names.contains(member) && !member.equals("class"))
                .map(names -> type + " has no member " + member);
    }
}

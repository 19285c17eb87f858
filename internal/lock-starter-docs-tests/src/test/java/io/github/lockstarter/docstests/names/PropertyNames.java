package io.github.lockstarter.docstests.names;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.Resources;
import io.github.lockstarter.docstests.configuration.Metadata;
import io.github.lockstarter.docstests.markdown.CodeSpan;
import io.github.lockstarter.docstests.markdown.Page;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Names in backticks that begin with {@code distributed-lock.} are properties, or end where a part of their name ends.
 */
public final class PropertyNames implements ManualCheck {

    private static final List<String> EXAMPLES = Resources.list("example-names.txt");

    private static final Pattern NAME = Pattern.compile(
            "(?:management\\.health\\.)?(?<![\\w.-])distributed-lock\\.(?:\\[[^]]+]|<[^>]+>|[\\w.*…-])*");

    /** The name of a lock, as in {@code locks.<name>.wait-time} or {@code locks.[TicketOffice.sell].wait-time}. */
    private static final Pattern LOCK_NAME = Pattern.compile("(?<=\\.locks\\.)(\\[[^]]+]|<[^>]+>|[\\w-]+)(\\.|$)");

    @Override
    public List<Problem> check(Manual manual) {
        return manual.pages().stream()
                .flatMap(page -> page.codeSpans().stream().flatMap(span -> unknown(page, span)))
                .toList();
    }

    private static Stream<Problem> unknown(Page page, CodeSpan span) {
        return NAME.matcher(span.text())
                .results()
                .map(MatchResult::group)
                .filter(name -> !exists(name) && !EXAMPLES.contains(name))
                .map(name -> Problem.at(page, span.line(), "there is no property " + name));
    }

    private static boolean exists(String name) {
        String plain = LOCK_NAME.matcher(name).replaceFirst("").replaceAll("[.…*]+$", "");
        return plain.equals("distributed-lock")
                || (Metadata.get().isProperty(plain) && !plain.startsWith(Metadata.NAMED + "."))
                || Metadata.get().isSettingOfOneLock(plain)
                || Metadata.get().isPrefix(plain);
    }
}

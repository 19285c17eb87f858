package io.github.lockstarter.docstests.names;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.Resources;
import io.github.lockstarter.docstests.markdown.Fence;
import io.github.lockstarter.docstests.markdown.Page;
import io.github.lockstarter.docstests.project.StringLiterals;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Names that begin with {@code distributed.lock.} are those of meters, observations or their keys, which are literals
 * of the code. So are those of Prometheus, with underscores and a suffix; these in queries, too.
 */
public final class MeterNames implements ManualCheck {

    private static final List<String> EXAMPLES = Resources.list("example-names.txt");

    private static final Pattern METER = Pattern.compile("(?<![\\w-])distributed\\.lock\\.[a-z.*-]+");

    private static final Pattern SERIES = Pattern.compile("\\bdistributed_lock_[a-z_]+");

    private static final Pattern SUFFIX = Pattern.compile("(_seconds)?(_count|_sum|_max|_bucket|_total)?");

    @Override
    public List<Problem> check(Manual manual) {
        Set<String> known = StringLiterals.of(manual.root()).stream()
                .filter(literal -> METER.matcher(literal).matches())
                .collect(Collectors.toSet());
        List<Problem> problems = new ArrayList<>();
        for (Page page : manual.pages()) {
            page.codeSpans().forEach(span -> check(page, span.line(), span.text(), known, problems));
            for (Fence fence : page.fences("promql", "sh", "yaml", "properties")) {
                IntStream.range(0, fence.code().size())
                        .forEach(
                                i -> check(page, fence.pageLine(i), fence.code().get(i), known, problems));
            }
        }
        return problems;
    }

    private static void check(Page page, int line, String text, Set<String> known, List<Problem> problems) {
        METER.matcher(text)
                .results()
                .map(MatchResult::group)
                .filter(name -> !isMeter(name, known))
                .forEach(name -> problems.add(Problem.at(page, line, "there is no meter or key " + name)));
        SERIES.matcher(text)
                .results()
                .map(MatchResult::group)
                .filter(name -> !EXAMPLES.contains(name) && known.stream().noneMatch(meter -> isSeries(name, meter)))
                .forEach(name -> problems.add(Problem.at(page, line, "there is no series " + name)));
    }

    private static boolean isMeter(String name, Set<String> known) {
        return known.contains(name)
                || (name.matches(".*\\.\\*?")
                        && known.stream().anyMatch(meter -> meter.startsWith(name.replace("*", ""))));
    }

    private static boolean isSeries(String name, String meter) {
        String begin = meter.replaceAll("[.-]", "_");
        return name.startsWith(begin)
                && SUFFIX.matcher(name.substring(begin.length())).matches();
    }
}

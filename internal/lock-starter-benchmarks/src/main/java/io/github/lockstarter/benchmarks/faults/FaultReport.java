package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.benchmarks.faults.FaultResult.Before;
import io.github.lockstarter.benchmarks.report.Machine;
import io.github.lockstarter.testsupport.history.Rule;
import io.github.lockstarter.testsupport.history.Trouble;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The report of a comparison, in Markdown. */
final class FaultReport {

    private static final Map<Rule, String> RULES = new EnumMap<>(Map.of(
            Rule.BELIEF, "no second owner within the lease",
            Rule.TOKENS, "each token is larger",
            Rule.NOTICE, "the owner is notified before the next grant",
            Rule.RELEASE, "the release reports a loss",
            Rule.WAITING, "each wait ends in time"));

    /** The columns of the troubles, in the words of the page of proof. */
    private enum Column {
        KILLED("owner killed"),
        PAUSED("owner paused"),
        CUT_OFF("cut off or slow"),
        REPLIES("replies lost"),
        CONNECTIONS("connections broken"),
        FROZEN("Redis frozen"),
        EMPTY("Redis restarted empty"),
        FAILED_OVER("Redis failed over"),
        FAILED_OVER_WITH_LOSS("failed over with loss"),
        NONE("scripts forgotten, or none yet");

        private final String title;

        Column(String title) {
            this.title = title;
        }

        static Column of(Optional<Trouble> trouble) {
            return trouble.map(Column::of).orElse(NONE);
        }

        private static Column of(Trouble trouble) {
            return switch (trouble) {
                case PROCESS_KILLED -> KILLED;
                case PROCESS_STOPPED_FOR_A_MOMENT, PROCESS_STOPPED_FOR_LONG -> PAUSED;
                case LONG_WAY, TOO_LONG_WAY, BLACK_HOLE, REQUESTS_LOST, REQUESTS_STALLED -> CUT_OFF;
                case REPLIES_LOST, REPLY_LOST_BY_RESET, REPLY_LOST_BY_CLOSE -> REPLIES;
                case CLIENTS_KILLED, SUBSCRIBERS_KILLED, CONNECTIONS_RESET, CONNECTIONS_CLOSED -> CONNECTIONS;
                case REDIS_STOPPED_FOR_A_MOMENT, REDIS_STOPPED_FOR_LONG -> FROZEN;
                case REDIS_RESTARTED_EMPTY -> EMPTY;
                case REDIS_FAILED_OVER -> FAILED_OVER;
                case REDIS_FAILED_OVER_WITH_LOSS -> FAILED_OVER_WITH_LOSS;
                case SCRIPTS_FORGOTTEN -> NONE;
            };
        }
    }

    private FaultReport() {}

    static String of(FaultArguments arguments, Map<Library, List<FaultResult>> results, double load) {
        List<String> lines = new ArrayList<>();
        lines.add("# Results under faults");
        lines.add("");
        lines.add("Written by the program; see [README.md](README.md#other-libraries-under-the-same-faults)"
                + " for what is run.");
        lines.add("");
        lines.add("    " + arguments.command());
        lines.add("");
        conditions(arguments, load).forEach(condition -> lines.add("- " + condition));
        lines.addAll(List.of("", "## Rules", ""));
        lines.addAll(rules(results));
        lines.addAll(List.of("", "## Two owners at the same time", ""));
        lines.addAll(twoOwners(results));
        lines.addAll(List.of("", "## Pairs of owners by trouble", ""));
        lines.addAll(troubles(results));
        lines.addAll(List.of("", "## Settings", ""));
        results.keySet().forEach(library -> lines.add("- " + library.label() + ": " + library.settings()));
        lines.addAll(List.of("", "## Promises", ""));
        lines.addAll(promises(results));
        lines.add("");
        return String.join("\n", lines);
    }

    private static List<String> conditions(FaultArguments arguments, double load) {
        List<String> conditions = new ArrayList<>(Machine.describe(Machine.redisVersion()));
        conditions.add("lock4j " + Machine.version("com.baomidou.lock.LockTemplate") + ", ShedLock "
                + Machine.version("net.javacrumbs.shedlock.core.LockProvider"));
        conditions.add(LocalDate.now(ZoneId.systemDefault()) + ", lock-starter at commit " + Machine.commit());
        conditions.add("lease " + arguments.timing().lease().toMillis() + " ms, commands "
                + arguments.timing().command().toMillis() + " ms, "
                + arguments.processes() + " worker processes, seeds " + arguments.seed() + " to "
                + (arguments.seed() + arguments.histories() - 1) + ", "
                + arguments.time().toSeconds() + " s of troubles each, libraries in turn");
        conditions.add(String.format(Locale.ROOT, "load of the machine before the start: %.1f", load));
        return conditions;
    }

    private static List<String> rules(Map<Library, List<FaultResult>> results) {
        List<Rule> columns = List.copyOf(RULES.keySet());
        List<List<String>> rows = new ArrayList<>();
        results.forEach((library, runs) -> {
            List<String> row = new ArrayList<>(List.of(library.label()));
            columns.forEach(
                    rule -> row.add(library.promise(rule).isPresent() ? verdict(runs, rule) : "does not promise"));
            rows.add(row);
        });
        return table("", columns.stream().map(RULES::get).toList(), "---", rows);
    }

    private static String verdict(List<FaultResult> runs, Rule rule) {
        long violations = violations(runs, rule, Before.NOTHING);
        long histories = runs.stream()
                .filter(run -> run.violations(rule, Before.NOTHING) > 0)
                .count();
        String verdict = violations == 0
                ? "no violation"
                : number(violations) + " violations in " + histories + " of " + runs.size() + " histories";
        long afterLateOwner = violations(runs, rule, Before.LATE_OWNER);
        long overDataLoss = violations(runs, rule, Before.DATA_LOSS);
        return verdict
                + (afterLateOwner == 0 ? "" : "; " + number(afterLateOwner) + " after a late owner")
                + (overDataLoss == 0 ? "" : "; " + number(overDataLoss) + " over a loss of data");
    }

    private static long violations(List<FaultResult> runs, Rule rule, Before before) {
        return runs.stream().mapToLong(run -> run.violations(rule, before)).sum();
    }

    private static List<String> twoOwners(Map<Library, List<FaultResult>> results) {
        List<List<String>> rows = new ArrayList<>();
        results.forEach((library, runs) -> {
            List<TwoOwners> pairs =
                    runs.stream().flatMap(run -> run.twoOwners().stream()).toList();
            long histories =
                    runs.stream().filter(run -> !run.twoOwners().isEmpty()).count();
            rows.add(List.of(
                    library.label(),
                    number(runs.stream().mapToLong(FaultResult::troubles).sum()),
                    number(runs.stream().mapToLong(FaultResult::grants).sum()),
                    histories + " of " + runs.size(),
                    number(pairs.size()),
                    millis(pairs.stream().mapToLong(TwoOwners::bothRan).max().orElse(0)),
                    millis(pairs.stream().mapToLong(TwoOwners::bothRan).sum())));
        });
        return table(
                "",
                List.of(
                        "troubles",
                        "grants",
                        "histories with two owners",
                        "pairs of owners",
                        "both ran, at longest",
                        "both ran, in all"),
                "---:",
                rows);
    }

    private static List<String> troubles(Map<Library, List<FaultResult>> results) {
        List<List<String>> rows = new ArrayList<>();
        results.forEach((library, runs) -> {
            Map<Column, Long> counts = runs.stream()
                    .flatMap(run -> run.twoOwners().stream())
                    .collect(Collectors.groupingBy(pair -> Column.of(pair.trouble()), Collectors.counting()));
            List<String> row = new ArrayList<>(List.of(library.label()));
            Stream.of(Column.values()).forEach(column -> row.add(number(counts.getOrDefault(column, 0L))));
            rows.add(row);
        });
        return table("", Stream.of(Column.values()).map(column -> column.title).toList(), "---:", rows);
    }

    private static List<String> promises(Map<Library, List<FaultResult>> results) {
        List<List<String>> rows = new ArrayList<>();
        results.keySet()
                .forEach(library -> library.promises()
                        .forEach(promise -> rows.add(List.of(
                                library.label(),
                                String.valueOf(RULES.get(promise.rule())),
                                promise.quote(),
                                promise.source()))));
        return table("", List.of("rule", "promise", "source"), "---", rows);
    }

    private static List<String> table(String first, List<String> header, String alignment, List<List<String>> rows) {
        List<String> lines = new ArrayList<>();
        lines.add("| " + first + " | " + String.join(" | ", header) + " |");
        lines.add("|---|" + String.join("|", Collections.nCopies(header.size(), alignment)) + "|");
        rows.forEach(row -> lines.add("| " + String.join(" | ", row) + " |"));
        return lines;
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String millis(long nanos) {
        return number(Duration.ofNanos(nanos).toMillis()) + " ms";
    }
}

package io.github.lockstarter.benchmarks;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.report.Readme;
import io.github.lockstarter.benchmarks.report.Row;
import io.github.lockstarter.benchmarks.rows.Plan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The command line, as a plan.
 *
 * @param plan what to measure
 * @param quick only whether it works: the figures mean nothing
 * @param neighbours threads that keep a processor busy each, beside all that is measured
 * @param output where the report goes
 * @param plot where the plot goes; null: there is none
 * @param readme the folder of the READMEs whose figures are written; null: they are left alone
 */
record Arguments(
        Plan plan,
        boolean quick,
        int neighbours,
        Path output,
        @Nullable Path plot,
        @Nullable Path readme) {

    /** Workers would start as in a test that wants to start fast. */
    private static final List<String> AS_AN_APPLICATION = List.of("-XX:TieredStopAtLevel=4");

    /** Most of what a quick run does is to start JVMs. */
    private static final List<String> FAST_START = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    static final String USAGE = """
            --readme             the rows and contenders of the README, one round: writes RESULTS-readme.md, the figures
                                 of both READMEs, and the plot
            --rows=1,3,4         only these rows (1 to 33)
            --contenders=A,B     only these: %s
            --rounds=3           medians of so many
            --seconds=5          per measurement
            --warmup=3           seconds before each
            --long-warmup=30     seconds before rows 8 and 9
            --locks=100000       renewed locks, watched for --renewed-seconds=20
            --waiters=1000       instances that wait for one lock, watched for as long
            --lease=9            seconds; of renewed locks, and of the owner and the reader that are killed
            --neighbours=0       threads that keep a processor busy each meanwhile
            --output=RESULTS.md  where the report goes
            --plot=FILE.svg      where the plot of rows 3 to 5, 8 and 9 goes; by default, there is none
            --quick              everything once and short: does it work?
            """.formatted(
                    Arrays.stream(Contender.values()).map(Arguments::optionName).collect(Collectors.joining(", ")));

    static Arguments parse(String... arguments) {
        Map<String, String> given = new LinkedHashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            given.put(parts[0], parts.length > 1 ? parts[1] : "");
        }
        boolean quick = given.remove("--quick") != null;
        boolean readme = given.remove("--readme") != null;
        if (readme) {
            given.putIfAbsent("--rows", names(Readme.ROWS, row -> Integer.toString(row.number())));
            given.putIfAbsent("--contenders", names(Readme.CONTENDERS, Arguments::optionName));
            given.putIfAbsent("--rounds", "1");
            given.putIfAbsent("--output", "RESULTS-readme.md");
            given.putIfAbsent("--plot", "../../docs/images/contention.svg");
        }
        Path output = Path.of(text(given, "--output", quick ? "target/quick-results.md" : "RESULTS.md"));
        int neighbours = Integer.parseInt(text(given, "--neighbours", "0"));
        String plot = given.remove("--plot");
        Plan plan = new Plan(
                chosen(Row.class, text(given, "--rows", ""), row -> Integer.toString(row.number())),
                chosen(Contender.class, text(given, "--contenders", ""), Arguments::optionName),
                Integer.parseInt(text(given, "--rounds", quick ? "1" : "3")),
                seconds(given, "--warmup", quick ? "0" : "3"),
                seconds(given, "--long-warmup", quick ? "0" : "30"),
                seconds(given, "--seconds", quick ? "0.3" : "5"),
                Integer.parseInt(text(given, "--locks", quick ? "1000" : "100000")),
                seconds(given, "--renewed-seconds", quick ? "1" : "20"),
                Integer.parseInt(text(given, "--waiters", quick ? "10" : "1000")),
                seconds(given, "--lease", quick ? "1" : "9"),
                quick ? FAST_START : AS_AN_APPLICATION,
                Path.of("target", "jmh.log"));
        if (!given.isEmpty()) {
            throw new IllegalArgumentException("Unknown: " + given.keySet() + "\n" + USAGE);
        }
        return new Arguments(
                plan, quick, neighbours, output, plot != null ? Path.of(plot) : null, readme ? Path.of("../..") : null);
    }

    private static <E> String names(Set<E> values, Function<E, String> name) {
        return values.stream().map(name).collect(Collectors.joining(","));
    }

    private static String text(Map<String, String> given, String name, String otherwise) {
        String value = given.remove(name);
        return value != null ? value : otherwise;
    }

    private static Duration seconds(Map<String, String> given, String name, String otherwise) {
        return Duration.ofMillis(Math.round(Double.parseDouble(text(given, name, otherwise)) * 1_000));
    }

    /** Those that the list names, or all if it is empty. */
    private static <E extends Enum<E>> Set<E> chosen(Class<E> type, String list, Function<E, String> name) {
        Set<E> all = EnumSet.allOf(type);
        if (list.isEmpty()) {
            return all;
        }
        Set<String> wanted = new LinkedHashSet<>(List.of(list.split(",", -1)));
        all.removeIf(candidate -> !wanted.remove(name.apply(candidate)));
        if (!wanted.isEmpty()) {
            throw new IllegalArgumentException("Unknown: " + wanted + "\n" + USAGE);
        }
        return all;
    }

    private static String optionName(Contender contender) {
        return contender.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

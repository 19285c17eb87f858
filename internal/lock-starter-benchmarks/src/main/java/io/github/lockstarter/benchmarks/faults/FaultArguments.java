package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.Timing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The command line of the comparison under faults.
 *
 * @param libraries the libraries to run
 * @param seed the seed of the first history; the next one has the next number
 * @param histories the number of histories of each library
 * @param time how long troubles happen in a history
 * @param processes the number of worker processes
 * @param timing the lease and the time of a command
 * @param output the file of the report
 */
record FaultArguments(
        Set<Library> libraries, long seed, int histories, Duration time, int processes, Timing timing, Path output) {

    static final String USAGE = """
            faults               other libraries under the same faults, with the options
            --contenders=A,B     only these: %s
            --seed=1             of the first history; each library has the same seeds
            --seconds=30         of troubles in a history
            --histories=4        of each library
            --processes=3        workers
            --lease=1            seconds; a command may take a quarter of it
            --output=RESULTS-faults.md
            """.formatted(
            Arrays.stream(Library.values()).map(FaultArguments::optionName).collect(Collectors.joining(", ")));

    /** A command may take this part of a lease. */
    private static final int COMMANDS_OF_LEASE = 4;

    static FaultArguments parse(String... arguments) {
        Map<String, String> given = new LinkedHashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            given.put(parts[0], parts.length > 1 ? parts[1] : "");
        }
        Duration lease = seconds(given, "--lease", "1");
        FaultArguments parsed = new FaultArguments(
                libraries(text(given, "--contenders", "")),
                Long.parseLong(text(given, "--seed", "1")),
                Integer.parseInt(text(given, "--histories", "4")),
                seconds(given, "--seconds", "30"),
                Integer.parseInt(text(given, "--processes", "3")),
                new Timing(lease, lease.dividedBy(COMMANDS_OF_LEASE)),
                Path.of(text(given, "--output", "RESULTS-faults.md")));
        if (!given.isEmpty()) {
            throw new IllegalArgumentException("Unknown: " + given.keySet() + "\n" + USAGE);
        }
        return parsed;
    }

    /** Returns the command that repeats this comparison. */
    String command() {
        String contenders = this.libraries.size() < Library.values().length
                ? " --contenders="
                        + this.libraries.stream()
                                .map(FaultArguments::optionName)
                                .collect(Collectors.joining(","))
                : "";
        return String.format(
                Locale.ROOT,
                "internal/lock-starter-benchmarks/run faults --seed=%d --seconds=%s --histories=%d --processes=%d"
                        + " --lease=%s%s",
                this.seed,
                text(this.time),
                this.histories,
                this.processes,
                text(this.timing.lease()),
                contenders);
    }

    private static String text(Duration time) {
        return Double.toString(time.toMillis() / 1_000.0).replaceAll("\\.0$", "");
    }

    static String optionName(Library library) {
        return library.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Set<Library> libraries(String list) {
        Set<Library> all = EnumSet.allOf(Library.class);
        if (list.isEmpty()) {
            return all;
        }
        List<String> wanted = List.of(list.split(",", -1));
        all.removeIf(library -> !wanted.contains(optionName(library)));
        if (all.size() != wanted.size()) {
            throw new IllegalArgumentException("Unknown or repeated: " + list + "\n" + USAGE);
        }
        return all;
    }

    private static String text(Map<String, String> given, String name, String otherwise) {
        String value = given.remove(name);
        return value != null ? value : otherwise;
    }

    private static Duration seconds(Map<String, String> given, String name, String otherwise) {
        return Duration.ofMillis(Math.round(Double.parseDouble(text(given, name, otherwise)) * 1_000));
    }
}

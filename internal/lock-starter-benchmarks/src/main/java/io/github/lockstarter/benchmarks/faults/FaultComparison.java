package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.benchmarks.report.Machine;
import io.github.lockstarter.testsupport.history.FleetPlan;
import io.github.lockstarter.testsupport.history.FleetRun;
import io.github.lockstarter.testsupport.history.Trouble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs the histories of all libraries, one after the other, and writes the report. */
public final class FaultComparison {

    /** The histories of a run are kept here until the next one, with what violates the rules. */
    private static final Path HISTORIES = Path.of("target", "faults");

    private FaultComparison() {}

    public static String usage() {
        return FaultArguments.USAGE;
    }

    /** Runs the comparison with the options of the command line. */
    public static void run(String... options) throws IOException, InterruptedException {
        FaultArguments arguments = FaultArguments.parse(options);
        double load = Machine.load();
        Map<Library, List<FaultResult>> results = new EnumMap<>(Library.class);
        // The libraries take turns, so that a change of the load of the machine meets all of them.
        for (int i = 0; i < arguments.histories(); i++) {
            for (Library library : arguments.libraries()) {
                FaultResult result = history(arguments, library, arguments.seed() + i);
                results.computeIfAbsent(library, key -> new ArrayList<>()).add(result);
            }
        }
        String report = FaultReport.of(arguments, results, load);
        System.out.println(report);
        Files.writeString(arguments.output(), report);
        System.out.println("Written to " + arguments.output().toAbsolutePath());
    }

    private static FaultResult history(FaultArguments arguments, Library library, long seed)
            throws IOException, InterruptedException {
        Path directory = HISTORIES.resolve(FaultArguments.optionName(library) + "-" + seed);
        deleteRecursively(directory);
        Files.createDirectories(directory);
        FleetPlan plan = new FleetPlan(
                LibraryWorker.class,
                List.of(library.name()),
                arguments.processes(),
                arguments.timing(),
                false,
                EnumSet.allOf(Trouble.class),
                seed);
        FleetRun run = plan.run(arguments.time(), directory.toAbsolutePath());
        FaultResult result = FaultResult.of(library, run);
        Files.write(
                directory.resolve("violations.txt"),
                result.violations().stream().map(Object::toString).toList());
        System.out.println(LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS) + " " + library.label()
                + ", " + run + ", pairs of owners: " + result.twoOwners().size());
        return result;
    }

    private static void deleteRecursively(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException ex) {
                    throw new UncheckedIOException(ex);
                }
            });
        }
    }
}

package io.github.lockstarter.benchmarks;

import io.github.lockstarter.benchmarks.faults.FaultComparison;
import io.github.lockstarter.benchmarks.report.Machine;
import io.github.lockstarter.benchmarks.report.Plot;
import io.github.lockstarter.benchmarks.report.Readme;
import io.github.lockstarter.benchmarks.report.Report;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.rows.Measurements;
import io.github.lockstarter.benchmarks.rows.Plan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Runs the benchmarks, prints the tables and writes them down. Ends with an error if exclusion was violated. */
public final class Benchmarks {

    private Benchmarks() {}

    public static void main(String[] arguments) {
        if (List.of(arguments).contains("--help")) {
            System.out.print(Arguments.USAGE + FaultComparison.usage());
            return;
        }
        try {
            if (arguments.length > 0 && arguments[0].equals("faults")) {
                FaultComparison.run(
                        List.of(arguments).subList(1, arguments.length).toArray(String[]::new));
            } else {
                run(Arguments.parse(arguments));
            }
            System.exit(0);
        } catch (Exception | Error ex) {
            ex.printStackTrace();
            System.exit(1);
        }
    }

    static Results run(Arguments arguments) throws Exception {
        Plan plan = arguments.plan();
        Files.createDirectories(plan.log().toAbsolutePath().getParent());
        double load = Machine.load();
        startNeighbours(arguments.neighbours());
        Results results = Measurements.of(
                plan,
                part -> System.out.println(
                        LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS) + " " + part));
        List<String> conditions = new ArrayList<>(Machine.describe(Machine.redisVersion()));
        conditions.add(LocalDate.now(ZoneId.systemDefault()).toString());
        conditions.add("medians of " + plan.rounds() + " rounds, contenders in turn; " + seconds(plan.time())
                + " per measurement after " + seconds(plan.warmUp())
                + " of warm-up, or the pairs that the row names");
        conditions.add(plan.locks() + " renewed locks, watched for " + seconds(plan.renewedTime()) + "; lease there and"
                + " of the owner and the reader that are killed: " + seconds(plan.lease())
                + "; otherwise everybody's default");
        conditions.add(plan.fewLocks() + " renewed locks after pairs, " + plan.burst() + " acquisitions at once");
        conditions.add(plan.waiters() + " instances that wait, watched for as long");
        conditions.add(arguments.neighbours() + " threads keep a processor busy each meanwhile");
        conditions.add(String.format(Locale.ROOT, "load of the machine before the start: %.1f", load));
        String report = Report.of(results, conditions);
        System.out.println(report);
        Path output = arguments.output();
        Files.writeString(output, report);
        System.out.println("Written to " + output.toAbsolutePath());
        Path plot = arguments.plot();
        if (plot != null && Plot.isComplete(results)) {
            Files.writeString(plot, Plot.of(results));
            System.out.println("Plot written to " + plot.toAbsolutePath());
        }
        if (arguments.readme() != null) {
            write(results, arguments.readme().resolve("README.md"), false);
            write(results, arguments.readme().resolve("README.zh-CN.md"), true);
        }
        return results;
    }

    private static void write(Results results, Path page, boolean isChinese) throws IOException {
        Files.writeString(page, Readme.of(results, Files.readString(page), isChinese));
        System.out.println("Figures written to " + page.toAbsolutePath());
    }

    /** Starts threads that keep a processor busy each, beside what is measured, most of which runs in other JVMs. */
    private static void startNeighbours(int count) {
        for (int i = 0; i < count; i++) {
            Thread neighbour = new Thread(
                    () -> {
                        while (true) {
                            Thread.onSpinWait();
                        }
                    },
                    "neighbour-" + i);
            neighbour.setDaemon(true);
            neighbour.start();
        }
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() / 1_000.0 + " s";
    }
}

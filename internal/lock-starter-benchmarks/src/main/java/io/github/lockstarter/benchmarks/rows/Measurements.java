package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import java.util.List;
import java.util.function.Consumer;
import org.openjdk.jmh.runner.RunnerException;

/** All rounds, the contenders in turn, so that what happens to the machine over time happens to all of them. */
public final class Measurements {

    private interface Part {

        void measure(Plan plan, Contender contender, Results results) throws InterruptedException, RunnerException;
    }

    private Measurements() {}

    /** Measures what the plan says, and says what it is at. */
    public static Results of(Plan plan, Consumer<String> progress) throws InterruptedException, RunnerException {
        Results results = new Results();
        for (int round = 1; round <= plan.rounds(); round++) {
            String prefix = "round " + round + " of " + plan.rounds() + ", ";
            Consumer<String> said = part -> progress.accept(prefix + part);
            // PostgreSQL may be what a machine cannot run, which is known before an hour of other rows
            each(plan, FenceRow.ROWS, FenceRow::measure, results, said);
            each(plan, PairRows.ROWS, PairRows::measure, results, said);
            each(plan, ContendedRows.ROWS, ContendedRows::measure, results, said);
            each(plan, SharedRows.ROWS, SharedRows::measure, results, said);
            each(plan, ConfirmedRows.ROWS, ConfirmedRows::measure, results, said);
            each(plan, RenewedRow.ROWS, RenewedRow::measure, results, said);
            each(plan, InFlightRow.ROWS, InFlightRow::measure, results, said);
            each(plan, ScaleRows.ROWS, ScaleRows::measure, results, said);
            each(plan, IdleRow.ROWS, IdleRow::measure, results, said);
            each(plan, PlanningRows.ROWS, PlanningRows::measure, results, said);
            each(plan, DistanceRows.ROWS, DistanceRows::measure, results, said);
        }
        return results;
    }

    private static void each(Plan plan, List<Row> rows, Part part, Results results, Consumer<String> progress)
            throws InterruptedException, RunnerException {
        for (Contender contender : plan.contenders()) {
            List<Integer> due =
                    plan.due(rows, contender).stream().map(Row::number).toList();
            if (!due.isEmpty()) {
                progress.accept("rows " + due + ": " + contender.label());
                part.measure(plan, contender, results);
            }
        }
    }
}

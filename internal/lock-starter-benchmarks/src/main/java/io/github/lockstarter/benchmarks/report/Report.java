package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.Contender;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** The results as Markdown. */
public final class Report {

    private final Results results;

    private final StringBuilder text = new StringBuilder();

    private Report(Results results) {
        this.results = results;
    }

    /**
     * Writes it all down.
     *
     * @param conditions under which it was measured, one per line
     */
    public static String of(Results results, List<String> conditions) {
        return new Report(results).write(conditions);
    }

    private String write(List<String> conditions) {
        line("# Results");
        line("");
        line(
                "Written by the benchmark; see README.md for what the rows measure. Each figure is the median of the rounds,"
                        + " with the least and the most of them in parentheses where ratios matter."
                        + " Ratios within one run count, absolute figures belong to the machine.");
        line("");
        conditions.forEach(condition -> line("- " + condition));
        for (Row row : this.results.rows()) {
            line("");
            line("## " + row.number() + ". " + row.title());
            if (row.isAtADistance()) {
                percentiles(this.results.row(row));
            } else {
                line("");
                table(this.results.row(row));
            }
            bounds(row, this.results.row(row));
        }
        return this.text.toString();
    }

    private void table(RowResult row) {
        List<Metric> metrics = List.copyOf(row.metrics());
        List<String> header = new ArrayList<>();
        metrics.forEach(metric -> header.add(metric.label()));
        List<Metric> compared = metrics.stream().filter(Metric::isComparable).toList();
        List<Contender> others = Stream.of(Contender.FLOOR, Contender.REDISSON)
                .filter(row.contenders()::contains)
                .toList();
        boolean confirmed = row.contenders().stream().anyMatch(Contender::isConfirming);
        List<Contender> references = confirmed ? List.of(Contender.LOCK_STARTER) : others;
        for (Metric metric : compared) {
            references.forEach(reference -> header.add(metric.label() + " / " + reference.label()));
        }
        line("| | " + String.join(" | ", header) + " |");
        line("|---|" + "---:|".repeat(header.size()));
        for (Contender contender : row.contenders()) {
            List<String> cells = new ArrayList<>();
            metrics.forEach(metric -> cells.add(figure(row, contender, metric)));
            for (Metric metric : compared) {
                references.forEach(reference -> cells.add(ratio(row, metric, contender, reference)));
            }
            line("| " + contender.label() + " | " + String.join(" | ", cells) + " |");
        }
    }

    /** Writes a line for each two metrics, of which the second one is the 99th percentile of the first one. */
    private void percentiles(RowResult row) {
        List<Metric> metrics = List.copyOf(row.metrics());
        for (Contender contender : row.contenders()) {
            line("");
            line("| " + contender.label() + " | p50 | p99 |");
            line("|---|---:|---:|");
            for (int i = 0; i + 1 < metrics.size(); i += 2) {
                if (row.median(contender, metrics.get(i)).isEmpty()) {
                    continue;
                }
                line("| " + metrics.get(i).label() + " | " + figure(row, contender, metrics.get(i)) + " | "
                        + figure(row, contender, metrics.get(i + 1)) + " |");
            }
        }
    }

    private static String format(OptionalDouble value, Metric metric) {
        return value.isPresent() ? metric.format(value.getAsDouble()) : "";
    }

    private static String ratio(RowResult row, Metric metric, Contender contender, Contender reference) {
        OptionalDouble own = row.median(contender, metric);
        OptionalDouble other = row.median(reference, metric);
        return own.isPresent() && other.isPresent() && other.getAsDouble() != 0
                ? String.format(Locale.ROOT, "%.2f", own.getAsDouble() / other.getAsDouble())
                : "";
    }

    private static String figure(RowResult row, Contender contender, Metric metric) {
        String median = format(row.median(contender, metric), metric);
        DoubleSummaryStatistics spread = row.spread(contender, metric);
        return metric.isComparable() && spread.getCount() > 1
                ? median + " (" + metric.format(spread.getMin(), spread.getMax()) + ")"
                : median;
    }

    private void bounds(Row row, RowResult result) {
        for (Contender contender : result.contenders()) {
            if (contender.isOurs() && !row.bounds().isEmpty()) {
                line("");
                line("| " + contender.label() + " has to reach | is | |");
                line("|---|---:|---|");
                row.bounds().stream()
                        .filter(bound -> bound.isFor(contender))
                        .forEach(bound -> bound(bound, result, contender));
            }
        }
    }

    private void bound(Bound bound, RowResult result, Contender contender) {
        bound.judge(result, contender)
                .ifPresent(verdict -> line("| " + bound.describe() + " | " + verdict.actual() + " | "
                        + (verdict.holds() ? "holds" : "**does not hold**" + reason(bound)) + " |"));
    }

    private static String reason(Bound bound) {
        return bound.reason() == null ? "" : ": " + bound.reason();
    }

    private void line(String line) {
        this.text.append(line).append('\n');
    }
}

package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.Contender;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.DoubleStream;

/** What all rounds have measured for one row. */
public final class RowResult {

    private final Map<Contender, Map<Metric, List<Double>>> rounds = new EnumMap<>(Contender.class);

    /** One figure of one round. */
    public void add(Contender contender, Metric metric, double value) {
        this.rounds
                .computeIfAbsent(contender, key -> new EnumMap<>(Metric.class))
                .computeIfAbsent(metric, key -> new ArrayList<>())
                .add(value);
    }

    public Set<Contender> contenders() {
        return this.rounds.keySet();
    }

    public Set<Metric> metrics() {
        Set<Metric> metrics = new TreeSet<>();
        this.rounds.values().forEach(figures -> metrics.addAll(figures.keySet()));
        return metrics;
    }

    /** Returns the least and the most of the rounds. */
    DoubleSummaryStatistics spread(Contender contender, Metric metric) {
        return values(contender, metric).summaryStatistics();
    }

    /** Over the rounds; nothing if it was not measured. */
    public OptionalDouble median(Contender contender, Metric metric) {
        double[] sorted = values(contender, metric).sorted().toArray();
        if (sorted.length == 0) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of((sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2);
    }

    private DoubleStream values(Contender contender, Metric metric) {
        return this.rounds.getOrDefault(contender, Map.of()).getOrDefault(metric, List.of()).stream()
                .mapToDouble(Double::doubleValue);
    }
}

package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.Contender;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** All rows that were measured. */
public final class Results {

    private final Map<Row, RowResult> rows = new EnumMap<>(Row.class);

    public void add(Row row, Contender contender, Metric metric, double value) {
        this.rows.computeIfAbsent(row, key -> new RowResult()).add(contender, metric, value);
    }

    public Set<Row> rows() {
        return this.rows.keySet();
    }

    public RowResult row(Row row) {
        return this.rows.getOrDefault(row, new RowResult());
    }
}

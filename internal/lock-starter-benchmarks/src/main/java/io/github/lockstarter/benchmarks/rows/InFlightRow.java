package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import io.github.lockstarter.testsupport.RedisServer;
import java.util.List;

/** Many asynchronous acquisitions at the same time: are all of them granted, when, and how much memory do they take? */
final class InFlightRow {

    static final List<Row> ROWS = List.of(Row.IN_FLIGHT);

    /** In the order in which the worker answers. */
    private static final List<Metric> METRICS = List.of(
            Metric.GRANTED,
            Metric.NOT_GRANTED,
            Metric.LOST,
            Metric.LEFT_BEHIND,
            Metric.CALLED,
            Metric.LAST_GRANT,
            Metric.HEAP_UNDER_WAY);

    private InFlightRow() {}

    static void measure(Plan plan, Contender contender, Results results) throws InterruptedException {
        if (!plan.has(Row.IN_FLIGHT, contender)) {
            return;
        }
        try (RedisServer redis = RedisServer.start();
                Fleet fleet = new Fleet(contender, redis.port(), 1, plan.jvmOptions(), "1g")) {
            String[] figures = fleet.ask(0, "burst " + plan.burst()).split(" ", -1);
            for (int i = 0; i < figures.length; i++) {
                results.add(Row.IN_FLIGHT, contender, METRICS.get(i), Double.parseDouble(figures[i]));
            }
        }
    }
}

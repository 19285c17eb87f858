package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.pair.PairCommands;
import io.github.lockstarter.benchmarks.pair.PairResult;
import io.github.lockstarter.benchmarks.pair.PairRun;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import io.github.lockstarter.testsupport.RedisServer;
import java.util.List;
import org.openjdk.jmh.runner.RunnerException;

/** The rows without contention: a fork of JMH each. */
final class PairRows {

    static final List<Row> ROWS = List.of(Row.ALONE, Row.OWN_KEYS);

    private static final int MANY_THREADS = 16;

    private PairRows() {}

    static void measure(Plan plan, Contender contender, Results results) throws RunnerException {
        if (plan.has(Row.ALONE, contender)) {
            measure(plan, Row.ALONE, contender, 1, results);
            commands(contender, results);
        }
        if (plan.has(Row.OWN_KEYS, contender)) {
            measure(plan, Row.OWN_KEYS, contender, MANY_THREADS, results);
        }
    }

    private static void measure(Plan plan, Row row, Contender contender, int threads, Results results)
            throws RunnerException {
        try (RedisServer redis = RedisServer.start()) {
            PairResult pair = PairRun.of(
                    contender, redis.port(), threads, plan.warmUp(), plan.time(), plan.jvmOptions(), plan.log());
            results.add(row, contender, Metric.RATE, pair.perSecond());
            results.add(row, contender, Metric.MEDIAN, pair.medianMicros());
            results.add(row, contender, Metric.CALLER_BYTES, pair.callerBytes());
            results.add(row, contender, Metric.ALL_BYTES, pair.allBytes());
            results.add(row, contender, Metric.REDIS_TIME, pair.serverMicros());
        }
    }

    private static void commands(Contender contender, Results results) {
        try (RedisServer redis = RedisServer.start()) {
            PairCommands commands = PairCommands.count(contender, redis.port());
            results.add(Row.ALONE, contender, Metric.WIRE_COMMANDS, commands.onTheWire());
            results.add(Row.ALONE, contender, Metric.ALL_COMMANDS, commands.all());
        }
    }
}

package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.pair.PairCommands;
import io.github.lockstarter.benchmarks.pair.PairResult;
import io.github.lockstarter.benchmarks.pair.PairRun;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.List;
import org.openjdk.jmh.runner.RunnerException;

/**
 * The rows without contention: a fork of JMH each. Those of one thread begin after a number of pairs, because a time
 * would leave the faster contender warmer.
 */
final class PairRows {

    static final List<Row> ROWS = List.of(Row.ALONE, Row.ALONE_WARM, Row.OWN_KEYS);

    private static final int MANY_THREADS = 16;

    private static final int FEW_PAIRS = 15_000;

    private static final int MANY_PAIRS = 80_000;

    private PairRows() {}

    static void measure(Plan plan, Contender contender, Results results) throws RunnerException {
        if (plan.has(Row.ALONE, contender)) {
            measure(plan, Row.ALONE, contender, 1, pairs(plan, FEW_PAIRS), Duration.ZERO, results);
            commands(contender, results);
        }
        if (plan.has(Row.ALONE_WARM, contender)) {
            measure(plan, Row.ALONE_WARM, contender, 1, pairs(plan, MANY_PAIRS), Duration.ZERO, results);
        }
        if (plan.has(Row.OWN_KEYS, contender)) {
            measure(plan, Row.OWN_KEYS, contender, MANY_THREADS, 0, plan.warmUp(), results);
        }
    }

    /** None in a run without a warm-up. */
    private static int pairs(Plan plan, int count) {
        return plan.warmUp().isZero() ? 0 : count;
    }

    private static void measure(
            Plan plan, Row row, Contender contender, int threads, int pairsBefore, Duration warmUp, Results results)
            throws RunnerException {
        try (RedisServer redis = RedisServer.start()) {
            PairResult pair = PairRun.of(
                    contender, redis.port(), threads, pairsBefore, warmUp, plan.time(), plan.jvmOptions(), plan.log());
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

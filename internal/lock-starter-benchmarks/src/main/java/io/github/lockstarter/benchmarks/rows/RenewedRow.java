package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.client.ServerTime;
import io.github.lockstarter.benchmarks.contention.Pause;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One JVM holds many locks, which are all renewed; what does that cost, and are they all still there in the end? The
 * window begins a lease after the last lock was taken, so that what taking them costs is over. Each {@code PEXPIRE}
 * that Redis counts in the window is a renewal.
 */
final class RenewedRow {

    static final List<Row> ROWS = List.of(Row.RENEWED, Row.RENEWED_USED);

    private static final int PAIRS_BEFORE = 1_000;

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    private static final double MICROS = TimeUnit.SECONDS.toMicros(1);

    private RenewedRow() {}

    static void measure(Plan plan, Contender contender, Results results) throws InterruptedException {
        for (Row row : plan.due(ROWS, contender)) {
            if (row == Row.RENEWED) {
                measure(plan, row, contender, plan.locks(), 0, results);
            } else {
                measure(plan, row, contender, plan.fewLocks(), PAIRS_BEFORE, results);
            }
        }
    }

    private static void measure(Plan plan, Row row, Contender contender, int locks, int pairsBefore, Results results)
            throws InterruptedException {
        try (RedisServer redis = RedisServer.start();
                RedisCli cli = redis.cli();
                Fleet fleet = new Fleet(contender, redis.port(), 1, plan.jvmOptions(), heap(locks))) {
            double empty = ServerTime.figure(cli, "memory", "used_memory");
            String[] heap = fleet.ask(0, "hold " + locks + " " + plan.lease().toMillis() + " " + pairsBefore)
                    .split(" ", -1);
            Pause.until(System.nanoTime() + plan.lease().toNanos());
            long began = System.nanoTime();
            double client = clientSeconds(fleet);
            double server = ServerTime.cpuSeconds(cli);
            long renewals = renewals(cli);
            // the measurement is that time goes by
            Pause.until(began + plan.renewedTime().toNanos());
            renewals = renewals(cli) - renewals;
            client = clientSeconds(fleet) - client;
            server = ServerTime.cpuSeconds(cli) - server;
            double seconds = (System.nanoTime() - began) / SECOND;
            results.add(row, contender, Metric.CLIENT_CPU, client / seconds);
            results.add(row, contender, Metric.REDIS_CPU, server / seconds);
            results.add(row, contender, Metric.RENEWED_RATE, renewals / seconds);
            if (row == Row.RENEWED) {
                // In the other state, most renewals of one contender are repeated, and the locks are few.
                results.add(row, contender, Metric.CLIENT_EACH, client * MICROS / Math.max(1, renewals));
                results.add(row, contender, Metric.REDIS_EACH, server * MICROS / Math.max(1, renewals));
                results.add(row, contender, Metric.HEAP, Double.parseDouble(heap[0]));
                results.add(row, contender, Metric.NAMED_HEAP, Double.parseDouble(heap[1]));
                results.add(
                        row,
                        contender,
                        Metric.REDIS_MEMORY,
                        (ServerTime.figure(cli, "memory", "used_memory") - empty) / locks);
            }
            results.add(row, contender, Metric.LOST, locks + 1.0 - keys(cli));
            results.add(row, contender, Metric.STOP, Double.parseDouble(fleet.ask(0, "close")));
        }
    }

    private static long renewals(RedisCli cli) {
        return cli.infoCommandStats().getOrDefault("pexpire", 0L);
    }

    private static String heap(int locks) {
        return Math.max(1_024, locks / 400) + "m";
    }

    private static double clientSeconds(Fleet fleet) throws InterruptedException {
        return Long.parseLong(fleet.ask(0, "cpu")) / SECOND;
    }

    private static long keys(RedisCli cli) {
        return cli.keys().size();
    }
}

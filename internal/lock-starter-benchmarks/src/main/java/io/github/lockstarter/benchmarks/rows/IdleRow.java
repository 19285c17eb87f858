package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.client.ServerTime;
import io.github.lockstarter.benchmarks.contention.Pause;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Many instances wait for a lock that another JVM holds and renews: what does Redis do all the time? */
final class IdleRow {

    static final List<Row> ROWS = List.of(Row.IDLE_WAITERS);

    private static final int OWNER = 0;

    private static final int WAITERS = 1;

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Until all have joined the line and polled in it. */
    private static final Duration SETTLED = Duration.ofSeconds(6);

    private IdleRow() {}

    static void measure(Plan plan, Contender contender, Results results) throws InterruptedException {
        try (RedisServer redis = RedisServer.start();
                RedisCli cli = redis.cli();
                Fleet fleet = new Fleet(contender, redis.port(), 2, plan.jvmOptions(), "4g")) {
            fleet.ask(OWNER, "open 0");
            fleet.ask(OWNER, "take");
            double others = ServerTime.figure(cli, "clients", "connected_clients");
            fleet.ask(WAITERS, "stand-by " + plan.waiters());
            results.add(Row.IDLE_WAITERS, contender, Metric.IDLE_CONNECTED, percent(cli, plan.renewedTime()));
            results.add(
                    Row.IDLE_WAITERS, contender, Metric.IDLE_CONNECTIONS, connectionsEach(cli, others, plan.waiters()));
            fleet.ask(WAITERS, "wait");
            Pause.until(System.nanoTime() + SETTLED.toNanos());
            results.add(
                    Row.IDLE_WAITERS,
                    contender,
                    Metric.WAITING_CONNECTIONS,
                    connectionsEach(cli, others, plan.waiters()));
            long before = ServerTime.Scripts.now(cli).calls();
            results.add(Row.IDLE_WAITERS, contender, Metric.IDLE_WAITING, percent(cli, plan.renewedTime()));
            double polls = ServerTime.Scripts.now(cli).calls() - before;
            results.add(
                    Row.IDLE_WAITERS,
                    contender,
                    Metric.POLLS,
                    polls * SECOND / plan.renewedTime().toNanos());
        }
    }

    /** Returns the connections of each waiter. */
    private static double connectionsEach(RedisCli cli, double others, int instances) {
        return (ServerTime.figure(cli, "clients", "connected_clients") - others) / instances;
    }

    /** Of one processor, over that time. */
    private static double percent(RedisCli cli, Duration time) {
        long began = System.nanoTime();
        double server = ServerTime.cpuSeconds(cli);
        Pause.until(began + time.toNanos());
        server = ServerTime.cpuSeconds(cli) - server;
        return 100 * server * SECOND / (System.nanoTime() - began);
    }
}

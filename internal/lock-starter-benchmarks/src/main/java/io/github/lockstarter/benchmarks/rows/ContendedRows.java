package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.contention.ContentionResult;
import io.github.lockstarter.benchmarks.contention.Sharing;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The rows in which all want the same lock; one fleet does them all, and ends with the death of an owner. */
final class ContendedRows {

    static final List<Row> ROWS = List.of(
            Row.ONE_JVM, Row.FOUR_JVMS, Row.FOUR_JVMS_WORKING, Row.HAND_OVER, Row.HAND_OVER_WORKING, Row.OWNER_KILLED);

    private static final List<Metric> STAGES =
            List.of(Metric.TO_COMMAND, Metric.TO_READ, Metric.TO_LAST_READ, Metric.TO_BODY);

    private static final int JVMS = 4;

    private static final double MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private static final double MICRO = TimeUnit.MICROSECONDS.toNanos(1);

    private final Plan plan;

    private final Contender contender;

    private final Results results;

    private ContendedRows(Plan plan, Contender contender, Results results) {
        this.plan = plan;
        this.contender = contender;
        this.results = results;
    }

    static void measure(Plan plan, Contender contender, Results results) throws InterruptedException {
        new ContendedRows(plan, contender, results).measure();
    }

    private void measure() throws InterruptedException {
        try (RedisServer redis = RedisServer.start();
                RedisCli cli = redis.cli();
                Fleet fleet = new Fleet(this.contender, redis.port(), JVMS, this.plan.jvmOptions(), "384m")) {
            fleet.askAll("open 0");
            contend(Row.ONE_JVM, fleet, cli, 1, 16, Duration.ZERO);
            contend(Row.FOUR_JVMS, fleet, cli, JVMS, 4, Duration.ZERO);
            contend(Row.FOUR_JVMS_WORKING, fleet, cli, JVMS, 4, Duration.ofMillis(1));
            // A JVM that hands over seldom runs cold code for long.
            contend(Row.HAND_OVER, fleet, cli, JVMS, 4, Duration.ZERO);
            contend(Row.HAND_OVER_WORKING, fleet, cli, JVMS, 4, Duration.ofMillis(1));
            if (this.plan.has(Row.OWNER_KILLED, this.contender)) {
                double late = OwnerKilled.millisAfterExpiry(fleet, cli, this.plan.lease());
                this.results.add(Row.OWNER_KILLED, this.contender, Metric.AFTER_EXPIRY, late);
            }
        }
    }

    private void contend(Row row, Fleet fleet, RedisCli cli, int jvms, int threads, Duration work)
            throws InterruptedException {
        if (!this.plan.has(row, this.contender)) {
            return;
        }
        Duration warmUp =
                row == Row.HAND_OVER || row == Row.HAND_OVER_WORKING ? this.plan.longWarmUp() : this.plan.warmUp();
        Contest contest = new Contest(jvms, threads, Sharing.EXCLUSIVE, work);
        Contest.Outcome outcome = contest.measure(fleet, cli, warmUp, this.plan.time());
        ContentionResult result = outcome.contention();
        add(row, Metric.RATE, outcome.perSecond());
        add(row, Metric.ALL_COMMANDS, outcome.commandsEach());
        add(row, Metric.MAX_WAIT, result.longestWaitNanos() / MILLI);
        add(row, Metric.THREAD_FAIRNESS, result.threadFairness());
        if (jvms > 1) {
            add(row, Metric.JVM_FAIRNESS, result.jvmFairness());
            add(row, Metric.HAND_OVER, result.handOverNanos() / MICRO);
            for (int stage = 0; stage < STAGES.size(); stage++) {
                add(row, STAGES.get(stage), result.stagesNanos().get(stage) / MICRO);
            }
        }
    }

    private void add(Row row, Metric metric, double value) {
        this.results.add(row, this.contender, metric, value);
    }
}

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

/**
 * The rows in which several may be inside at the same time; one fleet does them all, and ends with the death of a
 * reader.
 */
final class SharedRows {

    static final List<Row> ROWS = List.of(Row.READERS, Row.MOSTLY_READERS, Row.SEMAPHORE, Row.READER_KILLED);

    private static final int JVMS = 4;

    private static final int THREADS = 4;

    private static final int PERMITS = 4;

    private static final Duration WORK = Duration.ofMillis(1);

    private static final double MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Plan plan;

    private final Contender contender;

    private final Results results;

    private SharedRows(Plan plan, Contender contender, Results results) {
        this.plan = plan;
        this.contender = contender;
        this.results = results;
    }

    static void measure(Plan plan, Contender contender, Results results) throws InterruptedException {
        new SharedRows(plan, contender, results).measure();
    }

    private void measure() throws InterruptedException {
        try (RedisServer redis = RedisServer.start();
                RedisCli cli = redis.cli();
                Fleet fleet = new Fleet(this.contender, redis.port(), JVMS, this.plan.jvmOptions(), "384m")) {
            fleet.askAll("open 0");
            for (Row row : this.plan.due(ROWS, this.contender)) {
                switch (row) {
                    case READERS -> read(fleet, cli);
                    case MOSTLY_READERS -> readAndWrite(fleet, cli);
                    case SEMAPHORE -> takePermits(fleet, cli);
                    default -> kill(fleet, cli);
                }
            }
        }
    }

    private void read(Fleet fleet, RedisCli cli) throws InterruptedException {
        Contest contest = new Contest(1, JVMS * THREADS, Sharing.reads(100), Duration.ZERO);
        Contest.Outcome outcome = measure(Row.READERS, contest, fleet, cli);
        add(Row.READERS, Metric.MAX_WAIT, outcome.contention().longestWaitNanos() / MILLI);
    }

    private void readAndWrite(Fleet fleet, RedisCli cli) throws InterruptedException {
        Contest contest = new Contest(JVMS, THREADS, Sharing.reads(95), Duration.ZERO);
        ContentionResult result =
                measure(Row.MOSTLY_READERS, contest, fleet, cli).contention();
        add(Row.MOSTLY_READERS, Metric.WRITER_WAIT, result.longestWriteWaitNanos() / MILLI);
        add(Row.MOSTLY_READERS, Metric.READER_WAIT, result.longestWaitNanos() / MILLI);
    }

    /** The limit: as many threads as there are permits do the same work without taking any. */
    private void takePermits(Fleet fleet, RedisCli cli) throws InterruptedException {
        Contest limit = new Contest(PERMITS, 1, Sharing.UNLIMITED, WORK);
        double most = limit.measure(fleet, cli, Duration.ZERO, this.plan.time()).perSecond();
        Contest contest = new Contest(JVMS, THREADS, Sharing.permits(PERMITS), WORK);
        Contest.Outcome outcome = measure(Row.SEMAPHORE, contest, fleet, cli);
        add(Row.SEMAPHORE, Metric.LIMIT, most);
        add(Row.SEMAPHORE, Metric.LIMIT_SHARE, outcome.perSecond() / most);
        add(Row.SEMAPHORE, Metric.MAX_WAIT, outcome.contention().longestWaitNanos() / MILLI);
        add(Row.SEMAPHORE, Metric.JVM_FAIRNESS, outcome.contention().jvmFairness());
    }

    private void kill(Fleet fleet, RedisCli cli) throws InterruptedException {
        ReaderKilled killed = ReaderKilled.measure(fleet, cli, this.plan.lease());
        add(Row.READER_KILLED, Metric.AFTER_EXPIRY, killed.millisAfterExpiry());
        add(Row.READER_KILLED, Metric.AFTER_KILL, killed.leasesAfterKill());
    }

    /** Adds what all these rows have. */
    private Contest.Outcome measure(Row row, Contest contest, Fleet fleet, RedisCli cli) throws InterruptedException {
        Contest.Outcome outcome = contest.measure(fleet, cli, this.plan.warmUp(), this.plan.time());
        add(row, Metric.RATE, outcome.perSecond());
        add(row, Metric.ALL_COMMANDS, outcome.commandsEach());
        add(row, Metric.THREAD_FAIRNESS, outcome.contention().threadFairness());
        return outcome;
    }

    private void add(Row row, Metric metric, double value) {
        this.results.add(row, this.contender, metric, value);
    }
}

package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.pair.PairResult;
import io.github.lockstarter.benchmarks.pair.PairRun;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.util.List;
import org.openjdk.jmh.runner.RunnerException;

/** The price of replicas that confirm each grant: the rows without contention at a master with two replicas. */
final class ConfirmedRows {

    static final List<Row> ROWS = List.of(Row.CONFIRMED, Row.CONFIRMED_OWN_KEYS);

    private static final int MANY_THREADS = 16;

    private ConfirmedRows() {}

    static void measure(Plan plan, Contender contender, Results results) throws InterruptedException, RunnerException {
        try (RedisServer master = RedisServer.start("--repl-diskless-sync-delay", "0");
                RedisServer one = RedisServer.start();
                RedisServer other = RedisServer.start()) {
            follow(master, List.of(one, other));
            for (Row row : plan.due(ROWS, contender)) {
                int threads = row == Row.CONFIRMED ? 1 : MANY_THREADS;
                PairResult pair = PairRun.of(
                        contender,
                        master.port(),
                        threads,
                        0,
                        plan.warmUp(),
                        plan.time(),
                        plan.jvmOptions(),
                        plan.log());
                results.add(row, contender, Metric.RATE, pair.perSecond());
                results.add(row, contender, Metric.MEDIAN, pair.medianMicros());
            }
        }
    }

    private static void follow(RedisServer master, List<RedisServer> replicas) throws InterruptedException {
        for (RedisServer replica : replicas) {
            try (RedisCli cli = replica.cli()) {
                cli.command("REPLICAOF", master.host(), Integer.toString(master.port()));
            }
        }
        try (RedisCli cli = master.cli()) {
            String all = Integer.toString(replicas.size());
            while (!all.equals(String.valueOf(cli.command("WAIT", all, "1000")))) {
                // WAIT has waited for a second.
            }
        }
    }
}

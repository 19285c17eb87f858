package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.client.ServerTime;
import io.github.lockstarter.benchmarks.client.StoreClient;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** How the cost of a lock grows with the instances that wait for it, and how many renewals the servers sustain. */
final class PlanningRows {

    static final List<Row> ROWS = List.of(Row.PASSED_1, Row.PASSED_10, Row.PASSED_100, Row.PASSED_1_000, Row.RENEWALS);

    private static final Duration LONG = Duration.ofHours(1);

    private static final int GRANTS = 1_000;

    private static final int WARM_UP = 100;

    /** Renewals whose replies are awaited, enough to keep several servers busy. */
    private static final int UNDER_WAY = 2_000;

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    private PlanningRows() {}

    static void measure(Plan plan, Contender contender, Results results) throws InterruptedException {
        for (Row row : plan.due(ROWS, contender)) {
            switch (row) {
                case PASSED_1 -> passed(1, row, contender, results);
                case PASSED_10 -> passed(10, row, contender, results);
                case PASSED_100 -> passed(100, row, contender, results);
                case PASSED_1_000 -> passed(1_000, row, contender, results);
                default -> renewals(plan, contender, results);
            }
        }
    }

    /**
     * The owner releases the lock, the first in line renews what it was granted, and the former owner joins the line
     * again: three scripts and one message for each grant. No waiter polls. All entries name the inbox of one instance,
     * which costs Redis the same as an inbox for each.
     */
    private static void passed(int waiters, Row row, Contender contender, Results results) {
        try (RedisServer redis = RedisServer.start();
                RedisCli cli = redis.cli();
                StoreClient client = new StoreClient(redis.port(), LONG)) {
            String owner = client.nextId(GrantKind.EXCLUSIVE);
            ScaleRows.granted(client.acquire("line", owner, LONG, false));
            List<String> line = new ArrayList<>(client.enter("line", GrantKind.EXCLUSIVE, waiters, LONG, true));
            for (int i = -WARM_UP; i < GRANTS; i++) {
                if (i == 0) {
                    cli.command("CONFIG", "RESETSTAT");
                }
                ScaleRows.released(client.release("line", owner));
                owner = line.remove(0);
                ScaleRows.expect(Reply.Renewed.INSTANCE, client.renew("line", owner, LONG));
                String next = client.nextId(GrantKind.EXCLUSIVE);
                ScaleRows.waits(client.acquire("line", next, LONG, true));
                line.add(next);
            }
            ServerTime.Scripts scripts = ServerTime.Scripts.now(cli);
            ScaleRows.expect(3L * GRANTS, scripts.calls());
            ScaleRows.expect((long) GRANTS, cli.infoCommandStats().getOrDefault("publish", 0L));
            results.add(row, contender, Metric.ALL_COMMANDS, (double) ServerTime.commands(cli) / GRANTS);
            results.add(row, contender, Metric.SERVER_TIME, (double) scripts.micros() / GRANTS);
        }
    }

    private static void renewals(Plan plan, Contender contender, Results results) throws InterruptedException {
        try (RedisServer redis = RedisServer.start();
                StoreClient client = new StoreClient(redis.port(), LONG)) {
            results.add(Row.RENEWALS, contender, Metric.RENEWALS_1, renewalsPerSecond(client, plan));
        }
        for (int masters : List.of(3, 6)) {
            try (RedisCluster cluster = RedisCluster.startMasters(masters);
                    StoreClient client = new StoreClient(cluster.ports(), LONG)) {
                Metric metric = masters == 3 ? Metric.RENEWALS_3 : Metric.RENEWALS_6;
                results.add(Row.RENEWALS, contender, metric, renewalsPerSecond(client, plan));
            }
        }
    }

    private static double renewalsPerSecond(StoreClient client, Plan plan) throws InterruptedException {
        List<String> names =
                IntStream.range(0, plan.locks()).mapToObj(i -> "held:" + i).toList();
        List<String> ids = new ArrayList<>();
        for (int from = 0; from < names.size(); from += UNDER_WAY) {
            ids.addAll(client.acquireAll(names.subList(from, Math.min(from + UNDER_WAY, names.size())), LONG));
        }
        renew(client, names, ids, plan.warmUp());
        return renew(client, names, ids, plan.time());
    }

    private static double renew(StoreClient client, List<String> names, List<String> ids, Duration time)
            throws InterruptedException {
        int batch = client.renewalBatchSize();
        Semaphore free = new Semaphore(UNDER_WAY);
        AtomicLong renewed = new AtomicLong();
        AtomicBoolean failed = new AtomicBoolean();
        long began = System.nanoTime();
        int from = 0;
        while (System.nanoTime() - began < time.toNanos()) {
            int first = from;
            int last = Math.min(first + batch, names.size());
            free.acquire(last - first);
            CompletionStage<?> unused = client.renew(names.subList(first, last), ids.subList(first, last), LONG)
                    .whenComplete((all, failure) -> {
                        if (Boolean.TRUE.equals(all)) {
                            renewed.addAndGet(last - first);
                        } else {
                            failed.set(true);
                        }
                        free.release(last - first);
                    });
            from = last == names.size() ? 0 : last;
        }
        free.acquire(UNDER_WAY);
        double seconds = (System.nanoTime() - began) / SECOND;
        ScaleRows.expect(false, failed.get());
        return renewed.get() / seconds;
    }
}

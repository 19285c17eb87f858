package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.client.ServerTime;
import io.github.lockstarter.benchmarks.client.StoreClient;
import io.github.lockstarter.benchmarks.contention.Pause;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** How long Redis is busy with one command of a lock that has many holders or waiters, dead or alive. */
final class ScaleRows {

    static final List<Row> ROWS =
            List.of(Row.BESIDE_10, Row.BESIDE_100, Row.BESIDE_1_000, Row.BESIDE_10_000, Row.DEAD_WAITERS);

    private static final Duration LONG = Duration.ofHours(1);

    /** A lease, and an interval of a waiter whose deadline is three of them away. */
    private static final Duration SHORT = Duration.ofMillis(10);

    /**
     * Long enough for all of them to join before the first one's deadline, which is three of them away; the last one's
     * is 96.
     */
    private static final Duration DEAD_INTERVAL = Duration.ofMillis(200);

    private static final int TIMES = 200;

    private static final int EXPIRIES = 20;

    private static final double MILLI = 1_000;

    private final RedisCli cli;

    private final StoreClient client;

    private final int port;

    private final Random random = new Random(1);

    private ScaleRows(RedisCli cli, StoreClient client, int port) {
        this.cli = cli;
        this.client = client;
        this.port = port;
    }

    static void measure(Plan plan, Contender contender, Results results) {
        try (RedisServer redis = RedisServer.start();
                RedisCli cli = redis.cli();
                StoreClient client = new StoreClient(redis.port(), LONG)) {
            ScaleRows rows = new ScaleRows(cli, client, redis.port());
            for (Row row : plan.due(ROWS, contender)) {
                cli.flushall();
                switch (row) {
                    case BESIDE_10 -> rows.beside(10, new Sink(results, row, contender));
                    case BESIDE_100 -> rows.beside(100, new Sink(results, row, contender));
                    case BESIDE_1_000 -> rows.beside(1_000, new Sink(results, row, contender));
                    case BESIDE_10_000 -> rows.beside(10_000, new Sink(results, row, contender));
                    default -> rows.dead(new Sink(results, row, contender));
                }
            }
        }
    }

    private record Sink(Results results, Row row, Contender contender) {

        void add(Metric metric, double value) {
            this.results.add(this.row, this.contender, metric, value);
        }
    }

    /** One command, and the microseconds of all its executions. */
    private final class Step {

        private final Metric metric;

        private long micros;

        private int times;

        Step(Metric metric) {
            this.metric = metric;
        }

        void run(Runnable command) {
            this.micros += ServerTime.microsOf(command, ScaleRows.this.cli);
            this.times++;
        }

        void addTo(Sink sink) {
            sink.add(this.metric, (double) this.micros / this.times);
        }
    }

    /** The one that comes and goes counts among them. */
    private void beside(int size, Sink sink) {
        permits(size, sink);
        readers(size, sink);
        line(size, sink);
        semaphoreLine(size, sink);
    }

    private void permits(int size, Sink sink) {
        GrantKind one = GrantKind.permits(1, size);
        GrantKind two = GrantKind.permits(2, size);
        this.client.enter("permits", one, size - 1, LONG, false);
        Step acquired = new Step(Metric.ACQUIRE_PERMIT);
        Step released = new Step(Metric.RELEASE_PERMIT);
        Step refused = new Step(Metric.REFUSE_PERMIT);
        for (int i = 0; i < TIMES; i++) {
            String id = this.client.nextId(one);
            acquired.run(() -> granted(acquire("permits", id, LONG)));
            released.run(() -> released(release("permits", id)));
            refused.run(() -> refused(acquire("permits", this.client.nextId(two), LONG)));
        }
        List.of(acquired, released, refused).forEach(step -> step.addTo(sink));
    }

    private void readers(int size, Sink sink) {
        List<String> readers = this.client.enter("readers", GrantKind.READER, size - 1, LONG, false);
        Step admitted = new Step(Metric.ACQUIRE_READ);
        Step refused = new Step(Metric.REFUSE_WRITE);
        Step renewed = new Step(Metric.RENEW_READ);
        Step asked = new Step(Metric.IS_LOCKED);
        for (int i = 0; i < TIMES; i++) {
            String id = this.client.nextId(GrantKind.READER);
            admitted.run(() -> granted(acquire("readers", id, LONG)));
            released(release("readers", id));
            refused.run(() -> refused(acquire("readers", this.client.nextId(GrantKind.EXCLUSIVE), LONG)));
            String holder = readers.get(this.random.nextInt(readers.size()));
            renewed.run(() -> expect(Reply.Renewed.INSTANCE, this.client.renew("readers", holder, LONG)));
            asked.run(() -> this.client.inspect("readers"));
        }
        Step counted = new Step(Metric.EXPIRED_READER);
        for (int i = 0; i < EXPIRIES; i++) {
            granted(acquire("readers", this.client.nextId(GrantKind.READER), SHORT));
            pause(SHORT.multipliedBy(2));
            counted.run(() -> refused(acquire("readers", this.client.nextId(GrantKind.EXCLUSIVE), LONG)));
        }
        List.of(admitted, refused, renewed, asked, counted).forEach(step -> step.addTo(sink));
    }

    private void line(int size, Sink sink) {
        String owner = this.client.nextId(GrantKind.EXCLUSIVE);
        granted(acquire("line", owner, LONG));
        List<String> waiters = this.client.enter("line", GrantKind.EXCLUSIVE, size, LONG, true);
        Step polled = new Step(Metric.POLL);
        Step left = new Step(Metric.LEAVE);
        Step joined = new Step(Metric.JOIN);
        Step passed = new Step(Metric.PASS);
        for (int i = 0; i < TIMES; i++) {
            String waiter = waiters.get(this.random.nextInt(waiters.size()));
            polled.run(() -> waits(join("line", waiter)));
            String leaver = waiters.remove(this.random.nextInt(waiters.size()));
            left.run(() -> expect(Reply.LeftLine.INSTANCE, release("line", leaver)));
            String arrived = this.client.nextId(GrantKind.EXCLUSIVE);
            joined.run(() -> waits(join("line", arrived)));
            waiters.add(arrived);
            String former = owner;
            passed.run(() -> released(release("line", former)));
            owner = waiters.remove(0);
            String last = this.client.nextId(GrantKind.EXCLUSIVE);
            waits(join("line", last));
            waiters.add(last);
        }
        Step cleaned = new Step(Metric.DEAD_WAITER);
        try (StoreClient dying = new StoreClient(this.port, SHORT)) {
            for (int i = 0; i < EXPIRIES; i++) {
                dying.enter("line", GrantKind.EXCLUSIVE, 1, LONG, true);
                pause(SHORT.multipliedBy(100));
                cleaned.run(() -> waits(join("line", waiters.get(0))));
            }
        }
        List.of(polled, left, joined, passed, cleaned).forEach(step -> step.addTo(sink));
    }

    private void semaphoreLine(int size, Sink sink) {
        // a full lock accepts no waiters
        int holders = size - 1;
        GrantKind permit = GrantKind.permits(1, holders);
        List<String> held = this.client.enter("semaphore", permit, holders, LONG, false);
        List<String> waiters = this.client.enter("semaphore", permit, size, LONG, true);
        Step passed = new Step(Metric.PASS_PERMIT);
        for (int i = 0; i < TIMES; i++) {
            String former = held.remove(this.random.nextInt(holders));
            passed.run(() -> released(release("semaphore", former)));
            held.add(waiters.remove(0));
            String last = this.client.nextId(permit);
            waits(join("semaphore", last));
            waiters.add(last);
        }
        passed.addTo(sink);
    }

    private void dead(Sink sink) {
        sink.add(Metric.DEAD_1_000, releaseOver(1_000, LONG));
        sink.add(Metric.DEAD_5_000, releaseOver(5_000, LONG));
        sink.add(Metric.OVERDUE_1_000, releaseOver(1_000, DEAD_INTERVAL));
        sink.add(Metric.OVERDUE_5_000, releaseOver(5_000, DEAD_INTERVAL));
    }

    /** Milliseconds of the release that passes a lock over so many to one behind them. */
    private double releaseOver(int dead, Duration interval) {
        String name = dead + " dead, " + interval;
        String owner = this.client.nextId(GrantKind.EXCLUSIVE);
        granted(acquire(name, owner, LONG));
        try (StoreClient dying = new StoreClient(this.port, interval)) {
            dying.enter(name, GrantKind.EXCLUSIVE, dead, LONG, true);
        }
        String alive = this.client.nextId(GrantKind.EXCLUSIVE);
        waits(join(name, alive));
        pause(interval.equals(LONG) ? SHORT : interval.multipliedBy(100));
        long micros = ServerTime.microsOf(() -> released(release(name, owner)), this.cli);
        granted(acquire(name, alive, LONG));
        released(release(name, alive));
        return micros / MILLI;
    }

    private Reply acquire(String lockName, String id, Duration lease) {
        return this.client.acquire(lockName, id, lease, false);
    }

    private Reply join(String lockName, String id) {
        return this.client.acquire(lockName, id, LONG, true);
    }

    private Reply release(String lockName, String id) {
        return this.client.release(lockName, id);
    }

    static void granted(Reply reply) {
        expect(true, reply instanceof Reply.Granted);
    }

    private static void refused(Reply reply) {
        expect(true, reply instanceof Reply.Taken taken && taken.pollMillis() == 0);
    }

    static void waits(Reply reply) {
        expect(true, reply instanceof Reply.Taken taken && taken.pollMillis() > 0);
    }

    static void released(Reply reply) {
        expect(Reply.Released.INSTANCE, reply);
    }

    static void expect(Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new IllegalStateException(actual + " instead of " + expected);
        }
    }

    /** Time must pass at the server. */
    private static void pause(Duration time) {
        Pause.until(System.nanoTime() + time.toNanos());
    }
}

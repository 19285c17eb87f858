package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import io.github.lockstarter.testsupport.RedisServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The price of the fence: the same transactions in applications with and without it, which share one PostgreSQL and one
 * Redis. The applications take turns of half a second, so that what happens to the machine happens to all of them.
 */
final class FenceRow {

    static final List<Row> ROWS = List.of(Row.FENCED);

    private static final Duration SLICE = Duration.ofMillis(500);

    private static final int MAX_THREADS = 4;

    private static final int MAX_STATEMENTS = 5;

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    /** For how long a thread holds the lock, which is its own. */
    private enum Held {
        NEVER,
        SLICE,
        TRANSACTION,
        /** Without a transaction. */
        MOMENT
    }

    /** Number of statements of a transaction that reads one row. */
    private static final int ONE_QUERY = 0;

    /**
     * What the threads do.
     *
     * @param statements updates of rows of its own in each transaction; {@link #ONE_QUERY}: none, and one query
     */
    private record Work(Held held, int threads, int statements) {}

    private final Plan plan;

    private final ExecutorService threads = Executors.newFixedThreadPool(MAX_THREADS);

    /** Statements that must have been committed. */
    private long expected;

    private FenceRow(Plan plan) {
        this.plan = plan;
    }

    static void measure(Plan plan, Contender contender, Results results) throws InterruptedException {
        FenceRow row = new FenceRow(plan);
        try (RedisServer redis = RedisServer.start();
                EmbeddedPostgres postgres = startPostgres();
                Application without = new Application(redis, postgres, false, false);
                Application begin = new Application(redis, postgres, true, false);
                Application grant = new Application(redis, postgres, true, true)) {
            without.createRows();
            without.expectDurableCommits();
            without.expectRaised(0, 0);
            begin.expectRaised(0, 1);
            grant.expectRaised(1, 1);
            row.measure(List.of(without, begin, grant), contender, results);
            ScaleRows.expect(row.expected, without.count("SELECT sum(updates) FROM benchmark"));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } finally {
            row.threads.shutdownNow();
        }
    }

    /** With durable commits, which PostgreSQL has by default and this server does not. */
    private static EmbeddedPostgres startPostgres() throws IOException {
        // Not the temporary folder, which other users of the machine share
        return EmbeddedPostgres.builder()
                .setOverrideWorkingDirectory(
                        Path.of("target", "postgres").toAbsolutePath().toFile())
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .start();
    }

    private void measure(List<Application> applications, Contender contender, Results results)
            throws InterruptedException {
        List<Application> pair = List.of(applications.get(0), applications.get(2));
        double[] rates = rates(new Work(Held.SLICE, 1, 1), pair);
        results.add(Row.FENCED, contender, Metric.HELD_1_1, rates[0]);
        results.add(Row.FENCED, contender, Metric.FENCED_1_1, rates[1] / rates[0]);
        rates = rates(new Work(Held.SLICE, MAX_THREADS, 1), pair);
        results.add(Row.FENCED, contender, Metric.HELD_4_1, rates[0]);
        results.add(Row.FENCED, contender, Metric.FENCED_4_1, rates[1] / rates[0]);
        rates = rates(new Work(Held.SLICE, MAX_THREADS, MAX_STATEMENTS), pair);
        results.add(Row.FENCED, contender, Metric.HELD_4_5, rates[0]);
        results.add(Row.FENCED, contender, Metric.FENCED_4_5, rates[1] / rates[0]);
        rates = rates(new Work(Held.TRANSACTION, 1, 1), applications);
        results.add(Row.FENCED, contender, Metric.LOCKED_1, rates[0]);
        results.add(Row.FENCED, contender, Metric.FENCED_BEGIN_1, rates[1] / rates[0]);
        results.add(Row.FENCED, contender, Metric.FENCED_GRANT_1, rates[2] / rates[0]);
        rates = rates(new Work(Held.TRANSACTION, MAX_THREADS, 1), applications);
        results.add(Row.FENCED, contender, Metric.LOCKED_4, rates[0]);
        results.add(Row.FENCED, contender, Metric.FENCED_BEGIN_4, rates[1] / rates[0]);
        results.add(Row.FENCED, contender, Metric.FENCED_GRANT_4, rates[2] / rates[0]);
        rates = rates(new Work(Held.SLICE, 1, ONE_QUERY), pair);
        results.add(Row.FENCED, contender, Metric.READS_1, rates[0]);
        results.add(Row.FENCED, contender, Metric.FENCED_READS_1, rates[1] / rates[0]);
        rates = rates(new Work(Held.SLICE, MAX_THREADS, ONE_QUERY), pair);
        results.add(Row.FENCED, contender, Metric.READS_4, rates[0]);
        results.add(Row.FENCED, contender, Metric.FENCED_READS_4, rates[1] / rates[0]);
        results.add(Row.FENCED, contender, Metric.READ_WAL, pair.get(0).walOfReads());
        results.add(Row.FENCED, contender, Metric.FENCED_READ_WAL, pair.get(1).walOfReads());
        rates = rates(new Work(Held.MOMENT, 1, ONE_QUERY), applications);
        results.add(Row.FENCED, contender, Metric.LOCK_ONLY_1, rates[0]);
        results.add(Row.FENCED, contender, Metric.LOCK_ONLY_BEGIN_1, rates[1] / rates[0]);
        results.add(Row.FENCED, contender, Metric.LOCK_ONLY_GRANT_1, rates[2] / rates[0]);
        rates = rates(new Work(Held.NEVER, 1, 1), pair);
        results.add(Row.FENCED, contender, Metric.FENCED_UNLOCKED_1, rates[1] / rates[0]);
        rates = rates(new Work(Held.NEVER, MAX_THREADS, 1), pair);
        results.add(Row.FENCED, contender, Metric.FENCED_UNLOCKED_4, rates[1] / rates[0]);
    }

    /** Returns transactions per second of each application: the median of its slices. */
    private double[] rates(Work work, List<Application> applications) throws InterruptedException {
        slices(work, applications, this.plan.warmUp());
        return slices(work, applications, this.plan.time()).stream()
                .mapToDouble(FenceRow::median)
                .toArray();
    }

    private List<List<Double>> slices(Work work, List<Application> applications, Duration time)
            throws InterruptedException {
        List<List<Double>> rates = new ArrayList<>();
        applications.forEach(application -> rates.add(new ArrayList<>()));
        Duration slice = time.compareTo(SLICE) < 0 ? time : SLICE;
        long turns = time.isZero() ? 0 : time.dividedBy(slice);
        for (int turn = 0; turn < turns; turn++) {
            for (int i = 0; i < applications.size(); i++) {
                // Each is the first and the last as often.
                int next = turn % 2 == 0 ? i : applications.size() - 1 - i;
                rates.get(next).add(slice(work, applications.get(next), slice));
            }
        }
        return rates;
    }

    private double slice(Work work, Application application, Duration time) throws InterruptedException {
        CyclicBarrier start = new CyclicBarrier(work.threads());
        List<Future<Part>> parts = new ArrayList<>();
        for (int i = 0; i < work.threads(); i++) {
            int thread = i;
            parts.add(this.threads.submit(() -> application.run(thread, work, start, time)));
        }
        double rate = 0;
        try {
            for (Future<Part> part : parts) {
                rate += part.get().count() * SECOND / part.get().nanos();
                this.expected += part.get().count() * work.statements();
            }
        } catch (ExecutionException ex) {
            throw new IllegalStateException(work + " failed", ex);
        }
        return rate;
    }

    private static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** What one thread has done in a slice. */
    private record Part(long count, long nanos) {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Configuration {}

    /** An application with all defaults, except for the fence. */
    private static final class Application implements AutoCloseable {

        private final ConfigurableApplicationContext context;

        private final LockRegistry locks;

        private final JdbcTemplate jdbc;

        private final TransactionTemplate transactions;

        Application(RedisServer redis, EmbeddedPostgres postgres, boolean isFenced, boolean atGrant) {
            this.context = new SpringApplicationBuilder(Configuration.class)
                    .web(WebApplicationType.NONE)
                    .run(
                            "--spring.main.banner-mode=off",
                            "--spring.data.redis.url=" + redis.uri(),
                            "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
                            "--distributed-lock.jdbc.fence.enabled=" + isFenced,
                            "--distributed-lock.jdbc.fence.initialize-schema=always",
                            "--distributed-lock.jdbc.fence.at-grant=" + atGrant);
            this.locks = this.context.getBean(LockRegistry.class);
            this.jdbc = this.context.getBean(JdbcTemplate.class);
            this.transactions = new TransactionTemplate(this.context.getBean(PlatformTransactionManager.class));
        }

        void createRows() {
            this.jdbc.execute("CREATE TABLE benchmark (id INTEGER PRIMARY KEY, updates BIGINT NOT NULL)");
            this.jdbc.update(
                    "INSERT INTO benchmark SELECT id, 0 FROM generate_series(0, ?) AS id",
                    MAX_THREADS * MAX_STATEMENTS - 1);
        }

        void expectDurableCommits() {
            for (String setting : List.of("fsync", "synchronous_commit")) {
                String value = this.jdbc.queryForObject("SELECT current_setting(?)", String.class, setting);
                ScaleRows.expect("on", Objects.requireNonNull(value));
            }
        }

        /**
         * Fails if the fence does not do what is to be measured.
         *
         * @param atGrant 1 if a token is to be raised at the grant, or 0
         * @param atBegin 1 if it is to be raised at the begin of a transaction, or 0
         */
        void expectRaised(long atGrant, long atBegin) {
            LeaseLock lock = this.locks.getLock("expected");
            lock.lock();
            try {
                String raised = "SELECT count(*) FROM distributed_lock_fence WHERE token = "
                        + lock.currentLease().fencingToken();
                ScaleRows.expect(atGrant, count(raised));
                ScaleRows.expect(atBegin, Objects.requireNonNull(this.transactions.execute(status -> count(raised))));
            } finally {
                lock.unlock();
            }
        }

        long count(String query) {
            return Objects.requireNonNull(this.jdbc.queryForObject(query, Long.class));
        }

        /** Runs transactions in the calling thread for that time, from when all threads are ready. */
        Part run(int thread, Work work, CyclicBarrier start, Duration time) throws Exception {
            LeaseLock lock = this.locks.getLock("thread:" + thread);
            if (work.held() == Held.SLICE) {
                lock.lock();
            }
            try {
                start.await(1, TimeUnit.MINUTES);
                long began = System.nanoTime();
                long nanos = 0;
                long count = 0;
                while (nanos < time.toNanos()) {
                    if (work.held() == Held.TRANSACTION || work.held() == Held.MOMENT) {
                        lock.lock();
                        try {
                            if (work.held() == Held.TRANSACTION) {
                                transaction(thread, work.statements());
                            }
                        } finally {
                            lock.unlock();
                        }
                    } else {
                        transaction(thread, work.statements());
                    }
                    count++;
                    nanos = System.nanoTime() - began;
                }
                return new Part(count, nanos);
            } finally {
                if (work.held() == Held.SLICE) {
                    lock.unlock();
                }
            }
        }

        private void transaction(int thread, int statements) {
            this.transactions.executeWithoutResult(status -> {
                for (int i = 0; i < statements; i++) {
                    this.jdbc.update(
                            "UPDATE benchmark SET updates = updates + 1 WHERE id = ?", thread * MAX_STATEMENTS + i);
                }
                if (statements == ONE_QUERY) {
                    this.jdbc.queryForObject("SELECT updates FROM benchmark WHERE id = ?", Long.class, thread);
                }
            });
        }

        /** Returns the bytes of WAL for each of some transactions that read, of which nothing else is written. */
        double walOfReads() {
            int number = 1_000;
            LeaseLock lock = this.locks.getLock("thread:0");
            lock.lock();
            try {
                this.jdbc.execute("CHECKPOINT");
                transaction(0, ONE_QUERY);
                String position = "SELECT pg_current_wal_insert_lsn() - '0/0'";
                long before = count(position);
                for (int i = 0; i < number; i++) {
                    transaction(0, ONE_QUERY);
                }
                return (count(position) - before) / (double) number;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            this.context.close();
        }
    }
}

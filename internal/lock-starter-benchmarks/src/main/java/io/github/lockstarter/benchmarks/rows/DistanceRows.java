package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.client.DistantClient;
import io.github.lockstarter.benchmarks.client.DistantClient.Kind;
import io.github.lockstarter.benchmarks.client.LockClient.AsyncHold;
import io.github.lockstarter.benchmarks.client.RedissonDistantClient;
import io.github.lockstarter.benchmarks.client.RegistryClient;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import io.github.lockstarter.registry.ReleaseMode;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.ServiceProfile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Calls at a distance from Redis, as multiples of a round trip. A proxy delays each command and each reply, and keeps
 * their order. The round trip is measured as well, by {@code PING} over the same client and the same proxy, because a
 * timer and a change of threads take longer than a short delay.
 */
final class DistanceRows {

    static final List<Row> ROWS = List.of(Row.AT_50_MICROS, Row.AT_500_MICROS, Row.AT_2_MILLIS);

    /** How long a call or a wait may take: one whose message is lost must not stop the run. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final String NAME = "far";

    private static final String PERMITS = "permits";

    private static final double MICRO = TimeUnit.MICROSECONDS.toNanos(1);

    /** Does something once, and returns the nanoseconds of what is measured of it. */
    private interface Step {

        long nanos(int number) throws Exception;
    }

    private final Plan plan;

    private final Row row;

    private final Contender contender;

    private final Results results;

    private double roundTrip;

    private DistanceRows(Plan plan, Row row, Contender contender, Results results) {
        this.plan = plan;
        this.row = row;
        this.contender = contender;
        this.results = results;
    }

    static void measure(Plan plan, Contender contender, Results results) throws InterruptedException {
        for (Row row : plan.due(ROWS, contender)) {
            Duration distance = row == Row.AT_50_MICROS
                    ? Duration.ofNanos(50_000)
                    : row == Row.AT_500_MICROS ? Duration.ofNanos(500_000) : Duration.ofMillis(2);
            try (RedisServer redis = RedisServer.start();
                    RedisCli cli = redis.cli();
                    FaultProxy proxy = FaultProxy.inFrontOf(redis.port(), ServiceProfile.plain(), distance, distance)) {
                DistanceRows rows = new DistanceRows(plan, row, contender, results);
                if (contender == Contender.REDISSON) {
                    rows.measureRedisson(proxy.port(), cli);
                } else {
                    rows.measureOurs(proxy.port(), cli);
                }
            } catch (InterruptedException | RuntimeException ex) {
                throw ex;
            } catch (Exception ex) {
                throw new IllegalStateException(row + " failed", ex);
            }
        }
    }

    private void measureRedisson(int port, RedisCli cli) throws Exception {
        try (RedissonDistantClient one = new RedissonDistantClient(port);
                RedissonDistantClient other = new RedissonDistantClient(port)) {
            one.createSemaphore(PERMITS);
            measureCalls(one);
            measureHandOvers(List.of(one, other), cli);
        }
    }

    private void measureOurs(int port, RedisCli cli) throws Exception {
        try (RegistryClient one = new RegistryClient(port, ReleaseMode.AWAIT);
                RegistryClient other = new RegistryClient(port, ReleaseMode.AWAIT);
                RegistryClient oneByClient = new RegistryClient(port, ReleaseMode.AWAIT, MessageMode.CLIENT);
                RegistryClient otherByClient = new RegistryClient(port, ReleaseMode.AWAIT, MessageMode.CLIENT);
                RegistryClient background = new RegistryClient(port, ReleaseMode.BACKGROUND)) {
            measureCalls(one);
            add(Metric.FAR_BACKGROUND, Metric.FAR_BACKGROUND_99, number -> {
                Runnable release = background.lock(NAME);
                long began = System.nanoTime();
                release.run();
                return System.nanoTime() - began;
            });
            try (Lease held = one.registry().acquire(LockRequest.of(NAME))) {
                add(Metric.FAR_RENEW, Metric.FAR_RENEW_99, number -> {
                    long began = System.nanoTime();
                    held.extend(Duration.ofMinutes(20));
                    return System.nanoTime() - began;
                });
            }
            measureHandOvers(List.of(one, other), cli);
            handOver(
                    List.of(oneByClient, otherByClient),
                    cli,
                    "by-client",
                    Kind.LOCK,
                    Kind.LOCK,
                    Metric.FAR_BY_CLIENT,
                    Metric.FAR_BY_CLIENT_99);
        }
    }

    private void measureCalls(DistantClient client) throws Exception {
        List<Long> trips = samples(number -> {
            long began = System.nanoTime();
            client.ping();
            return System.nanoTime() - began;
        });
        this.roundTrip = percentile(trips, 50);
        this.results.add(this.row, this.contender, Metric.ROUND_TRIP, this.roundTrip / MICRO);
        this.results.add(this.row, this.contender, Metric.ROUND_TRIP_99, percentile(trips, 99) / MICRO);
        List<Long> releases = new ArrayList<>();
        add(Metric.FAR_LOCK, Metric.FAR_LOCK_99, number -> {
            long began = System.nanoTime();
            Runnable release = client.lock(NAME);
            long granted = System.nanoTime();
            release.run();
            note(releases, number, System.nanoTime() - granted);
            return granted - began;
        });
        add(Metric.FAR_UNLOCK, Metric.FAR_UNLOCK_99, releases);
        releases.clear();
        add(Metric.FAR_ASYNC_LOCK, Metric.FAR_ASYNC_LOCK_99, number -> {
            long began = System.nanoTime();
            AsyncHold hold = await(client.acquireAsync(Kind.LOCK, NAME));
            long granted = System.nanoTime();
            Object unused = await(hold.release());
            note(releases, number, System.nanoTime() - granted);
            return granted - began;
        });
        add(Metric.FAR_ASYNC_UNLOCK, Metric.FAR_ASYNC_UNLOCK_99, releases);
        several(client, 2, Metric.FAR_2, Metric.FAR_2_99);
        several(client, 4, Metric.FAR_4, Metric.FAR_4_99);
        several(client, 8, Metric.FAR_8, Metric.FAR_8_99);
        List<Long> of16 = several(client, 16, Metric.FAR_16, Metric.FAR_16_99);
        add(Metric.FAR_RELEASE_16, Metric.FAR_RELEASE_16_99, of16);
    }

    /** Measures from the call to the body, and returns the times from the body to the return of the call. */
    private List<Long> several(DistantClient client, int locks, Metric median, Metric high) throws Exception {
        List<String> names =
                IntStream.range(0, locks).mapToObj(i -> NAME + '-' + i).toList();
        List<Long> releases = new ArrayList<>();
        add(median, high, number -> {
            AtomicLong granted = new AtomicLong();
            long began = System.nanoTime();
            client.withAll(names, () -> granted.set(System.nanoTime()));
            note(releases, number, System.nanoTime() - granted.get());
            return granted.get() - began;
        });
        return releases;
    }

    private void measureHandOvers(List<DistantClient> clients, RedisCli cli) throws Exception {
        handOver(clients, cli, NAME, Kind.LOCK, Kind.LOCK, Metric.FAR_HAND_OVER, Metric.FAR_HAND_OVER_99);
        handOver(clients, cli, "readers", Kind.WRITER, Kind.READER, Metric.FAR_READER, Metric.FAR_READER_99);
        handOver(clients, cli, PERMITS, Kind.PERMIT, Kind.PERMIT, Metric.FAR_PERMIT, Metric.FAR_PERMIT_99);
    }

    /** Measures from the call that releases to the grant in the other instance, whose message is the only one. */
    private void handOver(
            List<? extends DistantClient> clients,
            RedisCli cli,
            String name,
            Kind held,
            Kind waiting,
            Metric median,
            Metric high)
            throws Exception {
        add(median, high, number -> {
            DistantClient owner = clients.get(Math.floorMod(number, 2));
            DistantClient next = clients.get(1 - Math.floorMod(number, 2));
            AsyncHold hold = await(owner.acquireAsync(held, name));
            CompletionStage<AsyncHold> waiter = next.acquireAsync(waiting, name);
            CompletionStage<Long> granted = waiter.thenApply(given -> System.nanoTime());
            awaitWaiter(next, cli, name, true);
            // Until the waiter has the replies to its last questions.
            LockSupport.parkNanos((long) (2 * this.roundTrip));
            long began = System.nanoTime();
            CompletionStage<?> released = hold.release();
            long nanos = await(granted) - began;
            Object unused = await(released);
            unused = await(await(waiter).release());
            // A subscription of the waiter that has not ended would look like the next one.
            awaitWaiter(next, cli, name, false);
            return nanos;
        });
    }

    private static void awaitWaiter(DistantClient client, RedisCli cli, String name, boolean isThere) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (client.isWaiting(cli, name) != isThere) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("The waiter of '" + name + "' "
                        + (isThere ? "has not begun to wait" : "has not ended its wait") + " for " + PATIENCE + ".");
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
        }
    }

    private static <T> T await(CompletionStage<T> stage)
            throws InterruptedException, ExecutionException, TimeoutException {
        return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    // ---- Samples

    private void add(Metric median, Metric high, Step step) throws Exception {
        add(median, high, samples(step));
    }

    private void add(Metric median, Metric high, List<Long> nanos) {
        this.results.add(this.row, this.contender, median, percentile(nanos, 50) / this.roundTrip);
        this.results.add(this.row, this.contender, high, percentile(nanos, 99) / this.roundTrip);
    }

    /** Keeps what was measured after the warm-up, whose numbers are negative. */
    private static void note(List<Long> samples, int number, long nanos) {
        if (number >= 0) {
            samples.add(nanos);
        }
    }

    private List<Long> samples(Step step) throws Exception {
        List<Long> samples = new ArrayList<>();
        long began = System.nanoTime();
        for (int number = Integer.MIN_VALUE;
                System.nanoTime() - began < this.plan.warmUp().toNanos();
                number++) {
            long unused = step.nanos(number);
        }
        began = System.nanoTime();
        for (int number = 0;
                number < 2 || System.nanoTime() - began < this.plan.time().toNanos();
                number++) {
            note(samples, number, step.nanos(number));
        }
        return samples;
    }

    private static double percentile(List<Long> samples, int percent) {
        long[] sorted = samples.stream().mapToLong(Long::longValue).sorted().toArray();
        return sorted[Math.min(sorted.length - 1, (int) ((long) sorted.length * percent / 100))];
    }
}

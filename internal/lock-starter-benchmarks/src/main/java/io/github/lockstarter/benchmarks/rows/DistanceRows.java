package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.benchmarks.client.Contender;
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
import io.github.lockstarter.testsupport.StoredLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Calls at a distance from Redis, as multiples of a round trip. A proxy delays each command and each reply, and keeps
 * their order. The round trip is measured as well, by {@code PING} over the same client and the same proxy, because a
 * timer and a change of threads take longer than a short delay.
 */
final class DistanceRows {

    static final List<Row> ROWS = List.of(Row.AT_50_MICROS, Row.AT_500_MICROS, Row.AT_2_MILLIS);

    private static final String NAME = "far";

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
                    FaultProxy proxy = FaultProxy.inFrontOf(redis.port(), ServiceProfile.plain(), distance, distance);
                    RegistryClient one = new RegistryClient(proxy.port(), ReleaseMode.AWAIT);
                    RegistryClient other = new RegistryClient(proxy.port(), ReleaseMode.AWAIT);
                    RegistryClient oneByClient =
                            new RegistryClient(proxy.port(), ReleaseMode.AWAIT, MessageMode.CLIENT);
                    RegistryClient otherByClient =
                            new RegistryClient(proxy.port(), ReleaseMode.AWAIT, MessageMode.CLIENT);
                    RegistryClient background = new RegistryClient(proxy.port(), ReleaseMode.BACKGROUND)) {
                DistanceRows rows = new DistanceRows(plan, row, contender, results);
                rows.measureRoundTrip(one);
                rows.measureOne(one.registry(), background.registry());
                rows.measureHandOvers(List.of(one.registry(), other.registry()), cli);
                LockRequest lock = LockRequest.of("by-client");
                rows.handOver(
                        List.of(oneByClient.registry(), otherByClient.registry()),
                        cli,
                        lock,
                        lock,
                        Metric.FAR_BY_CLIENT,
                        Metric.FAR_BY_CLIENT_99);
            } catch (InterruptedException | RuntimeException ex) {
                throw ex;
            } catch (Exception ex) {
                throw new IllegalStateException(row + " failed", ex);
            }
        }
    }

    private void measureRoundTrip(RegistryClient client) throws Exception {
        List<Long> trips = samples(number -> {
            long began = System.nanoTime();
            client.ping();
            return System.nanoTime() - began;
        });
        this.roundTrip = percentile(trips, 50);
        this.results.add(this.row, this.contender, Metric.ROUND_TRIP, this.roundTrip / MICRO);
        this.results.add(this.row, this.contender, Metric.ROUND_TRIP_99, percentile(trips, 99) / MICRO);
    }

    private void measureOne(LockRegistry registry, LockRegistry background) throws Exception {
        LockRequest request = LockRequest.of(NAME);
        List<Long> releases = new ArrayList<>();
        add(Metric.FAR_LOCK, Metric.FAR_LOCK_99, number -> {
            long began = System.nanoTime();
            Lease lease = registry.acquire(request);
            long granted = System.nanoTime();
            lease.release();
            note(releases, number, System.nanoTime() - granted);
            return granted - began;
        });
        add(Metric.FAR_UNLOCK, Metric.FAR_UNLOCK_99, releases);
        add(Metric.FAR_BACKGROUND, Metric.FAR_BACKGROUND_99, number -> {
            Lease lease = background.acquire(request);
            long began = System.nanoTime();
            lease.release();
            return System.nanoTime() - began;
        });
        releases.clear();
        add(Metric.FAR_ASYNC_LOCK, Metric.FAR_ASYNC_LOCK_99, number -> {
            long began = System.nanoTime();
            Lease lease = registry.acquireAsync(request).toCompletableFuture().get();
            long granted = System.nanoTime();
            lease.releaseAsync().toCompletableFuture().get();
            note(releases, number, System.nanoTime() - granted);
            return granted - began;
        });
        add(Metric.FAR_ASYNC_UNLOCK, Metric.FAR_ASYNC_UNLOCK_99, releases);
        several(registry, 2, Metric.FAR_2, Metric.FAR_2_99);
        several(registry, 4, Metric.FAR_4, Metric.FAR_4_99);
        several(registry, 8, Metric.FAR_8, Metric.FAR_8_99);
        List<Long> of16 = several(registry, 16, Metric.FAR_16, Metric.FAR_16_99);
        add(Metric.FAR_RELEASE_16, Metric.FAR_RELEASE_16_99, of16);
        try (Lease held = registry.acquire(request)) {
            add(Metric.FAR_RENEW, Metric.FAR_RENEW_99, number -> {
                long began = System.nanoTime();
                held.extend(Duration.ofMinutes(20));
                return System.nanoTime() - began;
            });
        }
    }

    /** Measures from the call to the body, and returns the times from the body to the return of the call. */
    private List<Long> several(LockRegistry registry, int locks, Metric median, Metric high) throws Exception {
        List<LockRequest> requests = IntStream.range(0, locks)
                .mapToObj(i -> LockRequest.of(NAME + '-' + i))
                .toList();
        List<Long> releases = new ArrayList<>();
        add(median, high, number -> {
            long began = System.nanoTime();
            long granted = registry.execute(requests, lease -> System.nanoTime());
            note(releases, number, System.nanoTime() - granted);
            return granted - began;
        });
        return releases;
    }

    private void measureHandOvers(List<LockRegistry> registries, RedisCli cli) throws Exception {
        LockRequest lock = LockRequest.of(NAME);
        LockRequest permit = LockRequest.of("permits").withPermits(1, 1);
        handOver(registries, cli, lock, lock, Metric.FAR_HAND_OVER, Metric.FAR_HAND_OVER_99);
        LockRequest reader = lock.withMode(LockMode.READ);
        handOver(registries, cli, lock, reader, Metric.FAR_READER, Metric.FAR_READER_99);
        handOver(registries, cli, permit, permit, Metric.FAR_PERMIT, Metric.FAR_PERMIT_99);
    }

    /** Measures from the call that releases to the grant in the other instance, whose message is the only one. */
    private void handOver(
            List<LockRegistry> registries,
            RedisCli cli,
            LockRequest held,
            LockRequest waiting,
            Metric median,
            Metric high)
            throws Exception {
        String key = "lock:{" + held.lockName() + '}';
        add(median, high, number -> {
            Lease owner = registries.get(Math.floorMod(number, 2)).acquire(held);
            CompletableFuture<Lease> waiter = registries
                    .get(1 - Math.floorMod(number, 2))
                    .acquireAsync(waiting)
                    .toCompletableFuture();
            CompletableFuture<Long> granted = waiter.thenApply(lease -> System.nanoTime());
            while (StoredLine.of(cli, key).stream()
                    .noneMatch(entry -> !entry.inbox().isEmpty())) {
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
            }
            // Until the waiter has the reply to its last question.
            LockSupport.parkNanos((long) this.roundTrip);
            long began = System.nanoTime();
            CompletableFuture<Boolean> released = owner.releaseAsync().toCompletableFuture();
            long nanos = granted.get() - began;
            released.get();
            waiter.get().release();
            return nanos;
        });
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

package io.github.lockstarter.jdbc;

import static io.github.lockstarter.jdbc.FencedApplication.ORDER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Faults by which an owner loses its lock in Redis, and what the database has committed after them. In each round, the
 * owner is paused within its work, Redis grants the lock to another instance, and the owner continues while that one
 * works or after it. The same rounds without the fence are the control: its history must violate the rules.
 *
 * <p>There is no commit guard, which would refuse some of the late commits of the control.
 */
@Tag("redis")
@Timeout(90)
abstract class FenceFaultsContract {

    private static final int INCREMENTS = 2;

    private static final int VISITS = 40;

    private static final long MAX_PAUSE_MICROS = 2_000;

    private static final Duration FIXED_LEASE = Duration.ofMillis(100);

    private static final String KEY = "shop:{" + ORDER.lockName() + '}';

    /** Where an owner can be paused. */
    private enum Place {
        BEFORE_TRANSACTION,
        AFTER_BEGIN,
        AFTER_READ,
        BEFORE_COMMIT,
        /** Between a read-only transaction that reads, and another one that writes. */
        BETWEEN_TRANSACTIONS
    }

    /** How the owner loses its lock in Redis. */
    private abstract static class Fault {

        /** Returns what the owner requests. */
        LockRequest request() {
            return ORDER;
        }

        /** Precedes the grant of the owner. */
        void prepare() {}

        /** Takes the lock from the owner, which is paused. */
        abstract void inject();

        /** Follows the end of both owners. */
        void heal() {}
    }

    @AutoClose
    private final RedisPair redis = new RedisPair();

    @AutoClose("shutdownNow")
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final Random random = new Random(1);

    private final Set<Long> tokens = ConcurrentHashMap.newKeySet();

    private RedisApplication owner;

    private RedisApplication next;

    private CommittedHistory history;

    abstract DataSource database() throws Exception;

    private void start(boolean isFenced) throws Exception {
        this.history = new CommittedHistory(database());
        this.owner = new RedisApplication("owner", database(), this.redis.master(), isFenced);
        this.next = new RedisApplication("next", database(), this.redis.master(), isFenced);
    }

    @AfterEach
    void stop() {
        if (this.next != null) {
            this.owner.close();
            this.next.close();
        }
    }

    // ---- Faults

    @Test
    void shouldCommitNothingLateAfterAPauseBeyondTheLease() throws Exception {
        assertThatTheFenceHolds(2, new Fault() {

            @Override
            LockRequest request() {
                return ORDER.withLease(FIXED_LEASE);
            }

            @Override
            void inject() {
                try (RedisCli cli = FenceFaultsContract.this.redis.master().cli()) {
                    await().pollInSameThread()
                            .pollInterval(Duration.ofMillis(5))
                            .until(() -> !cli.exists(KEY));
                }
            }
        });
    }

    @Test
    void shouldCommitNothingLateAfterAFailoverThatLosesTheGrant() throws Exception {
        assertThatTheFenceHolds(1, new Fault() {

            @Override
            void prepare() {
                FenceFaultsContract.this.redis.disconnect();
            }

            @Override
            void inject() {
                RedisServer promoted = FenceFaultsContract.this.redis.failOver();
                FenceFaultsContract.this.owner.moveTo(promoted);
                FenceFaultsContract.this.next.moveTo(promoted);
            }

            @Override
            void heal() {
                FenceFaultsContract.this.redis.restartReplica();
            }
        });
    }

    @Test
    void shouldCommitNothingLateAfterAFlush() throws Exception {
        assertThatTheFenceHolds(2, new Fault() {

            @Override
            void inject() {
                try (RedisCli cli = FenceFaultsContract.this.redis.master().cli()) {
                    cli.flushall();
                }
            }
        });
    }

    @Test
    void shouldCommitNothingLateWhileTwoMastersGrantTheLock() throws Exception {
        splitBrain(false);
        assertThat(this.history.violations()).as("control").isNotEmpty();
        stop();
        this.redis.connect();
        splitBrain(true);
        assertThat(this.history.violations()).isEmpty();
        assertThat(this.history.writesOf(this.owner.name))
                .as("by the old master")
                .isPositive();
        assertThat(this.history.writesOf(this.next.name))
                .as("by the promoted replica")
                .isPositive();
    }

    /** The old master goes on, and so does the promoted replica, each with one of the instances. */
    private void splitBrain(boolean isFenced) throws Exception {
        start(isFenced);
        this.redis.disconnect();
        runRounds(1, new Fault() {

            private boolean isPromoted;

            @Override
            void inject() {
                if (!this.isPromoted) {
                    this.isPromoted = true;
                    FenceFaultsContract.this.next.moveTo(FenceFaultsContract.this.redis.promote());
                }
            }
        });
        List<CompletableFuture<Void>> both = new ArrayList<>();
        for (RedisApplication each : List.of(this.owner, this.next)) {
            Random pauses = new Random(this.random.nextLong());
            both.add(CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < VISITS; i++) {
                            visit(each, ORDER, pauses.nextBoolean(), place -> pause(pauses));
                        }
                    },
                    this.threads));
        }
        for (CompletableFuture<Void> each : both) {
            each.get(30, TimeUnit.SECONDS);
        }
    }

    /** The pause is what is tested: any time is possible. */
    private static void pause(Random random) {
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextLong(MAX_PAUSE_MICROS)));
    }

    // ---- Rounds

    private void assertThatTheFenceHolds(int times, Fault fault) throws Exception {
        start(false);
        runRounds(times, fault);
        assertThat(this.history.violations()).as("control").isNotEmpty();
        stop();
        start(true);
        int rounds = runRounds(times, fault);
        assertThat(this.history.violations()).isEmpty();
        assertThat(this.history.writesOf(this.next.name))
                .as("the rightful owner is not refused")
                .isEqualTo((long) rounds * INCREMENTS);
    }

    /** Pauses the owner so many times at each place, and returns the number of rounds. */
    private int runRounds(int times, Fault fault) throws Exception {
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            places.addAll(List.of(Place.values()));
        }
        Collections.shuffle(places, this.random);
        for (Place place : places) {
            runRound(place, fault);
        }
        return places.size();
    }

    private void runRound(Place place, Fault fault) throws Exception {
        fault.prepare();
        Pause pause = new Pause(place, this.random);
        boolean isSplit = place == Place.BETWEEN_TRANSACTIONS;
        CompletableFuture<Void> late =
                CompletableFuture.runAsync(() -> visit(this.owner, fault.request(), isSplit, pause), this.threads);
        pause.reached.get(20, TimeUnit.SECONDS);
        fault.inject();
        if (fault.request().lease() == null) {
            assertThat(this.owner.application.locks.held(ORDER.lockName()))
                    .as("the owner has not noticed its loss")
                    .isPresent();
        }
        boolean isNextSplit = this.random.nextBoolean();
        CompletableFuture<Boolean> following =
                CompletableFuture.supplyAsync(() -> visit(this.next, ORDER, isNextSplit, reached -> {}), this.threads);
        pause.next.complete(following);
        late.get(20, TimeUnit.SECONDS);
        assertThat(following.get(20, TimeUnit.SECONDS)).as("the next owner").isTrue();
        fault.heal();
    }

    /**
     * A pause at one place. It ends with the work of the next owner, or a random time after the request of that one,
     * which may wait for the transaction that is paused.
     */
    private static final class Pause implements Consumer<Place> {

        private final Place place;

        private final long longestMillis;

        /** Number of times for which the place is passed before. */
        private int passes;

        final CompletableFuture<Void> reached = new CompletableFuture<>();

        final CompletableFuture<CompletableFuture<Boolean>> next = new CompletableFuture<>();

        Pause(Place place, Random random) {
            this.place = place;
            this.longestMillis = random.nextLong(20, 100);
            this.passes = random.nextInt(INCREMENTS);
        }

        @Override
        public void accept(Place present) {
            if (present != this.place || this.passes-- != 0) {
                return;
            }
            this.reached.complete(null);
            try {
                this.next.join().get(this.longestMillis, TimeUnit.MILLISECONDS);
            } catch (TimeoutException ex) {
                // It waits for this owner, or is slow.
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
        }
    }

    // ---- Owners

    /**
     * Acquires the lock and increments the counter.
     *
     * @param isSplit whether an increment reads in one transaction and writes in another one
     * @param places called at each place of the work
     * @return whether the lock was not lost
     */
    private boolean visit(RedisApplication instance, LockRequest request, boolean isSplit, Consumer<Place> places) {
        try {
            instance.application.locks.executeWithoutResult(request, lease -> {
                // Two masters can grant the same token, within the same microsecond.
                if (this.tokens.add(lease.fencingToken())) {
                    for (int i = 0; i < INCREMENTS; i++) {
                        increment(instance, lease, isSplit, places);
                    }
                }
            });
            return true;
        } catch (LockLostException ex) {
            return false;
        }
    }

    private static void increment(RedisApplication instance, Lease lease, boolean isSplit, Consumer<Place> places) {
        FencedApplication application = instance.application;
        places.accept(Place.BEFORE_TRANSACTION);
        if (isSplit) {
            TransactionTemplate readOnly = application.transaction();
            readOnly.setReadOnly(true);
            Long amount = readOnly.execute(status -> CommittedHistory.read(application.jdbc));
            places.accept(Place.BETWEEN_TRANSACTIONS);
            application
                    .transaction()
                    .executeWithoutResult(status ->
                            CommittedHistory.write(application.jdbc, amount + 1, instance.name, lease.fencingToken()));
        } else {
            application.transaction().executeWithoutResult(status -> {
                places.accept(Place.AFTER_BEGIN);
                long amount = CommittedHistory.read(application.jdbc);
                places.accept(Place.AFTER_READ);
                CommittedHistory.write(application.jdbc, amount + 1, instance.name, lease.fencingToken());
                places.accept(Place.BEFORE_COMMIT);
            });
        }
    }
}

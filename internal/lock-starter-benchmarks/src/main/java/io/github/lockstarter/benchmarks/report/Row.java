package io.github.lockstarter.benchmarks.report;

import static io.github.lockstarter.benchmarks.client.Contender.FLOOR;
import static io.github.lockstarter.benchmarks.client.Contender.LOCK_STARTER;
import static io.github.lockstarter.benchmarks.client.Contender.LOCK_STARTER_ACQUIRE;
import static io.github.lockstarter.benchmarks.client.Contender.LOCK_STARTER_ASYNCHRONOUS;
import static io.github.lockstarter.benchmarks.client.Contender.LOCK_STARTER_BACKGROUND;
import static io.github.lockstarter.benchmarks.client.Contender.LOCK_STARTER_CONFIRM_1;
import static io.github.lockstarter.benchmarks.client.Contender.LOCK_STARTER_CONFIRM_2;
import static io.github.lockstarter.benchmarks.client.Contender.LOCK_STARTER_HINTS;
import static io.github.lockstarter.benchmarks.client.Contender.REDISSON;
import static io.github.lockstarter.benchmarks.client.Contender.SPRING_PUB_SUB;
import static io.github.lockstarter.benchmarks.client.Contender.SPRING_SPIN;
import static io.github.lockstarter.benchmarks.report.Bound.atLeast;
import static io.github.lockstarter.benchmarks.report.Bound.atMost;

import io.github.lockstarter.benchmarks.client.Contender;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The rows of the table: what is done, who cannot take part, what this library has to reach. */
// both are made by `of`
@SuppressWarnings("ImmutableEnumChecker")
public enum Row {
    ALONE(
            1,
            "lock + unlock, 1 thread, 1,000 keys, after 15,000 pairs",
            Set.of(LOCK_STARTER_ACQUIRE, LOCK_STARTER_HINTS),
            atLeast(Metric.RATE, 0.9).times(FLOOR),
            atMost(Metric.ALL_BYTES, 1.08).times(FLOOR),
            atMost(Metric.WIRE_COMMANDS, 2),
            atMost(Metric.MEDIAN, 0.6).times(LOCK_STARTER).only(LOCK_STARTER_BACKGROUND)),
    OWN_KEYS(
            2,
            "lock + unlock, 16 threads, 1,000 keys of its own each",
            Set.of(LOCK_STARTER_ACQUIRE, LOCK_STARTER_HINTS),
            atLeast(Metric.RATE, 0.93).times(FLOOR),
            atMost(Metric.REDIS_TIME, 1.25).times(FLOOR),
            atLeast(Metric.RATE, 4).times(REDISSON)),
    ONE_JVM(
            3,
            "1 JVM, 16 threads, one key, empty body",
            Set.of(LOCK_STARTER_ACQUIRE, LOCK_STARTER_HINTS),
            atLeast(Metric.RATE, 25).times(REDISSON),
            atMost(Metric.ALL_COMMANDS, 0.2),
            atMost(Metric.MAX_WAIT, 60),
            atLeast(Metric.THREAD_FAIRNESS, 0.8)),
    FOUR_JVMS(
            4,
            "4 JVMs × 4 threads, one key, empty body",
            Set.of(LOCK_STARTER_ACQUIRE, LOCK_STARTER_HINTS),
            atLeast(Metric.RATE, 60).times(REDISSON),
            atMost(Metric.HAND_OVER, 0.45)
                    .times(REDISSON)
                    .because(
                            "A JVM goes the way of a hand-over seldom, and interprets its code for long; row 8 is warm."),
            atMost(Metric.ALL_COMMANDS, 0.5),
            atMost(Metric.MAX_WAIT, 150),
            atLeast(Metric.THREAD_FAIRNESS, 0.8),
            atLeast(Metric.JVM_FAIRNESS, 0.8)),
    FOUR_JVMS_WORKING(
            5,
            "4 JVMs × 4 threads, one key, parked for 1 ms under the lock",
            Set.of(LOCK_STARTER_ACQUIRE, LOCK_STARTER_HINTS),
            atLeast(Metric.RATE, 800),
            atLeast(Metric.RATE, 1.6).times(REDISSON),
            atMost(Metric.HAND_OVER, 0.9)
                    .times(REDISSON)
                    .because(
                            "A JVM goes the way of a hand-over seldom, and interprets its code for long; row 9 is warm."),
            atMost(Metric.MAX_WAIT, 200),
            atLeast(Metric.THREAD_FAIRNESS, 0.8),
            atLeast(Metric.JVM_FAIRNESS, 0.8)),
    RENEWED(
            6,
            "renewed locks, all held by one JVM; no lock was released before",
            Set.of(
                    FLOOR,
                    LOCK_STARTER_HINTS,
                    LOCK_STARTER_BACKGROUND,
                    LOCK_STARTER_ASYNCHRONOUS,
                    SPRING_PUB_SUB,
                    SPRING_SPIN),
            atMost(Metric.CLIENT_EACH, 0.8)
                    .times(REDISSON)
                    .because("The watchdog reads several objects of each lock, which lie anywhere in the heap."),
            atMost(Metric.REDIS_EACH, 1)
                    .times(REDISSON)
                    .because("HGET returns the id of the acquisition as a text, HEXISTS a number."),
            atMost(Metric.NAMED_HEAP, 600)
                    .because("An acquisition has the fields of all its phases, 200 of these bytes."),
            atMost(Metric.LOST, 0)),
    OWNER_KILLED(
            7,
            "owner killed, a waiter stands by in another JVM",
            Set.of(LOCK_STARTER_ACQUIRE, LOCK_STARTER_HINTS, LOCK_STARTER_BACKGROUND, LOCK_STARTER_ASYNCHRONOUS),
            atMost(Metric.AFTER_EXPIRY, 50)),
    HAND_OVER(
            8,
            "as row 4, after a long warm-up",
            Set.of(
                    FLOOR,
                    LOCK_STARTER_ACQUIRE,
                    LOCK_STARTER_BACKGROUND,
                    LOCK_STARTER_ASYNCHRONOUS,
                    SPRING_PUB_SUB,
                    SPRING_SPIN),
            atLeast(Metric.RATE, 40).times(REDISSON),
            atMost(Metric.HAND_OVER, 0.35).times(REDISSON)),
    HAND_OVER_WORKING(
            9,
            "as row 5, after a long warm-up",
            Set.of(
                    FLOOR,
                    LOCK_STARTER_ACQUIRE,
                    LOCK_STARTER_BACKGROUND,
                    LOCK_STARTER_ASYNCHRONOUS,
                    SPRING_PUB_SUB,
                    SPRING_SPIN),
            atLeast(Metric.RATE, 865),
            atMost(Metric.HAND_OVER, 0.8).times(REDISSON)),
    CONFIRMED(
            10,
            "confirm-replicas: lock + unlock at a master with 2 replicas, 1 thread, 1,000 keys",
            Set.copyOf(EnumSet.complementOf(EnumSet.of(LOCK_STARTER, LOCK_STARTER_CONFIRM_1, LOCK_STARTER_CONFIRM_2)))),
    CONFIRMED_OWN_KEYS(
            11,
            "confirm-replicas: lock + unlock at a master with 2 replicas, 16 threads, 1,000 keys of its own each",
            CONFIRMED.without),
    READERS(
            12,
            "readers only: 1 JVM, 16 threads, one lock, empty body",
            Set.copyOf(EnumSet.complementOf(EnumSet.of(LOCK_STARTER, LOCK_STARTER_BACKGROUND, REDISSON))),
            atLeast(Metric.RATE, 100)
                    .times(REDISSON)
                    .because(
                            "Each reader enters and leaves the state of the lock under its mutex, which all threads want.")),
    MOSTLY_READERS(
            13,
            "95 % reads, 5 % writes: 4 JVMs × 4 threads, one lock, empty body",
            READERS.without,
            atLeast(Metric.RATE, 20)
                    .times(REDISSON)
                    .because("A write ends the grant of all readers, so that the readers of each JVM ask again."),
            atMost(Metric.WRITER_WAIT, 150)),
    SEMAPHORE(
            14,
            "semaphore of 4 permits: 4 JVMs × 4 threads, parked for 1 ms with a permit",
            READERS.without,
            atLeast(Metric.RATE, 3).times(REDISSON).or(atLeast(Metric.LIMIT_SHARE, 0.85)),
            atLeast(Metric.THREAD_FAIRNESS, 0.8)),
    READER_KILLED(
            15,
            "one of two readers killed, a writer stands by in a third JVM",
            Set.copyOf(EnumSet.complementOf(EnumSet.of(LOCK_STARTER, REDISSON))),
            atMost(Metric.AFTER_KILL, 1)),
    BESIDE_10(
            16,
            "time of a command in Redis beside 10 holders or waiters",
            Set.copyOf(EnumSet.complementOf(EnumSet.of(LOCK_STARTER))),
            limits(300, 1_000)),
    BESIDE_1_000(
            17, "time of a command in Redis beside 1,000 holders or waiters", BESIDE_10.without, limits(300, 1_000)),
    BESIDE_10_000(
            18,
            "time of a command in Redis beside 10,000 holders or waiters",
            BESIDE_10.without,
            limits(3_000, 10_000)),
    DEAD_WAITERS(19, "a release over dead waiters to one that is alive, time in Redis", BESIDE_10.without),
    IDLE_WAITERS(20, "instances that wait for one lock", BESIDE_10.without, atMost(Metric.IDLE_WAITING, 2)),
    PASSED_1(21, "a lock that is passed on, 1 instance waits; for each grant", BESIDE_10.without),
    PASSED_10(22, "a lock that is passed on, 10 instances wait; for each grant", BESIDE_10.without),
    PASSED_100(23, "a lock that is passed on, 100 instances wait; for each grant", BESIDE_10.without),
    PASSED_1_000(24, "a lock that is passed on, 1,000 instances wait; for each grant", BESIDE_10.without),
    RENEWALS(25, "as many renewals as possible, from one JVM", BESIDE_10.without),
    BESIDE_100(26, "time of a command in Redis beside 100 holders or waiters", BESIDE_10.without, limits(300, 1_000)),
    FENCED(
            27,
            "transactions of PostgreSQL that fence themselves; × is the rate with the fence / without",
            BESIDE_10.without,
            atLeast(Metric.FENCED_UNLOCKED_1, 0.95),
            atLeast(Metric.FENCED_UNLOCKED_4, 0.95)),
    AT_50_MICROS(
            28,
            "0.05 ms from Redis each way; × is the round trip",
            Set.copyOf(EnumSet.complementOf(EnumSet.of(LOCK_STARTER, REDISSON)))),
    AT_500_MICROS(29, "0.5 ms from Redis each way; × is the round trip", AT_50_MICROS.without),
    AT_2_MILLIS(
            30,
            "2 ms from Redis each way; × is the round trip",
            AT_50_MICROS.without,
            atMost(Metric.FAR_LOCK, 1.3),
            atMost(Metric.FAR_UNLOCK, 1.3),
            atMost(Metric.FAR_BACKGROUND, 0.1),
            atMost(Metric.FAR_2, 1.3),
            atMost(Metric.FAR_16, 1.3),
            atMost(Metric.FAR_HAND_OVER, 1.2),
            atMost(Metric.FAR_HAND_OVER_99, 2.5),
            atMost(Metric.FAR_BY_CLIENT, 2.4),
            atMost(Metric.FAR_READER, 1.2),
            atMost(Metric.FAR_PERMIT, 1.2)),
    ALONE_WARM(
            31,
            "as row 1, after 80,000 pairs",
            ALONE.without,
            atLeast(Metric.RATE, 0.95).times(FLOOR)),
    RENEWED_USED(
            32,
            "as row 6, with a thousandth of the locks, after 1,000 pairs between which no lock was held",
            RENEWED.without,
            atMost(Metric.LOST, 0)),
    IN_FLIGHT(
            33,
            "asynchronous acquisitions at once, each of another free lock",
            AT_50_MICROS.without,
            atMost(Metric.NOT_GRANTED, 0),
            atMost(Metric.LOST, 0),
            atMost(Metric.LEFT_BEHIND, 0));

    private final int number;

    private final String title;

    private final Set<Contender> without;

    private final List<Bound> bounds;

    Row(int number, String title, Set<Contender> without, Bound... bounds) {
        this.number = number;
        this.title = title;
        this.without = without;
        this.bounds = List.of(bounds);
    }

    /** For most commands; those that read all holders or waiters are rare. */
    private static Bound[] limits(double besideHolders, double besideWaiters) {
        return new Bound[] {
            atMost(Metric.ACQUIRE_PERMIT, besideHolders),
            atMost(Metric.RELEASE_PERMIT, besideHolders),
            atMost(Metric.REFUSE_PERMIT, besideHolders),
            atMost(Metric.ACQUIRE_READ, besideHolders),
            atMost(Metric.REFUSE_WRITE, besideHolders),
            atMost(Metric.RENEW_READ, besideHolders),
            atMost(Metric.IS_LOCKED, besideHolders),
            atMost(Metric.POLL, besideWaiters),
            atMost(Metric.JOIN, besideWaiters),
            atMost(Metric.LEAVE, besideWaiters),
            atMost(Metric.PASS, besideWaiters),
            atMost(Metric.PASS_PERMIT, besideWaiters)
        };
    }

    /** Whether its figures are pairs of a median and a 99th percentile, for which the report has a line each. */
    boolean isAtADistance() {
        return this == AT_50_MICROS || this == AT_500_MICROS || this == AT_2_MILLIS;
    }

    /** As options and the report number it. */
    public int number() {
        return this.number;
    }

    String title() {
        return this.title;
    }

    List<Bound> bounds() {
        return this.bounds;
    }

    public boolean takes(Contender contender) {
        boolean hasReplicas = this == CONFIRMED || this == CONFIRMED_OWN_KEYS;
        boolean isAlone = this == ALONE || this == ALONE_WARM;
        return !this.without.contains(contender)
                && (hasReplicas || !contender.isConfirming())
                && (isAlone || !contender.isForgetting());
    }
}

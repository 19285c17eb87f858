package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.LockUnderTest;
import io.github.lockstarter.testsupport.history.Rule;
import io.github.lockstarter.testsupport.history.Timing;
import io.github.lockstarter.testsupport.history.Trouble;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** The libraries that are compared, with their settings, and the promises of their documents. */
enum Library {
    LOCK_STARTER(
            "lock-starter",
            "defaults",
            Documents.LOCK_STARTER,
            (port, timing) -> new LockStarterLocks(port, timing, 0)),
    LOCK_STARTER_CONFIRMED(
            "lock-starter, confirmed",
            "`confirm-replicas` is 1, the number of replicas",
            Documents.LOCK_STARTER,
            (port, timing) -> new LockStarterLocks(port, timing, 1)),
    REDISSON(
            "Redisson, RLock",
            "`lockWatchdogTimeout` is the lease; `timeout`, `retryDelay`, `connectTimeout` and"
                    + " `pingConnectionInterval` have their default ratios to it; the owner calls"
                    + " `isHeldByCurrentThread()` every 20 ms",
            Documents.REDISSON,
            (port, timing) -> new RedissonLocks(port, timing, false)),
    REDISSON_FENCED(
            "Redisson, RFencedLock",
            "as Redisson, RLock",
            Documents.REDISSON_FENCED,
            (port, timing) -> new RedissonLocks(port, timing, true)),
    SPRING_INTEGRATION(
            "Spring Integration",
            "`expireAfter` is the lease; not renewed, which is the default, and never held for longer than half a"
                    + " lease",
            Documents.SPRING_INTEGRATION,
            (port, timing) -> new SpringIntegrationLocks(port, timing, false)),
    SPRING_INTEGRATION_RENEWING(
            "Spring Integration, renewing",
            "as Spring Integration, with `setRenewalTaskScheduler`",
            Documents.SPRING_INTEGRATION,
            (port, timing) -> new SpringIntegrationLocks(port, timing, true)),
    LOCK4J_REDISSON(
            "lock4j, Redisson",
            "`RedissonLockExecutor` with the client of Redisson, RLock; no `expire`, so that Redisson renews",
            Documents.LOCK4J,
            Lock4jLocks::overRedisson),
    LOCK4J_REDIS_TEMPLATE(
            "lock4j, RedisTemplate",
            "`RedisTemplateLockExecutor`; `lock4j.expire` is the lease, and no `expire` of the call, so that it"
                    + " renews",
            Documents.LOCK4J,
            Lock4jLocks::overRedisTemplate),
    SHED_LOCK(
            "ShedLock",
            "`lockAtMostFor` is the lease, and never held for longer than half of it",
            Documents.SHED_LOCK,
            ShedLockLocks::plain),
    SHED_LOCK_SAFE_UPDATE(
            "ShedLock, safeUpdate", "as ShedLock, with `safeUpdate(true)`", Documents.SHED_LOCK, ShedLockLocks::safe),
    SHED_LOCK_KEEP_ALIVE(
            "ShedLock, KeepAliveLockProvider",
            "`lockAtMostFor` is 30 s, the shortest that it accepts, so that its leases are longer than those of"
                    + " the other libraries",
            Documents.SHED_LOCK,
            ShedLockLocks::keptAlive);

    /** Redisson repeats a command this many times, by default. */
    private static final int REDISSON_RETRIES = 4;

    private final String label;

    private final String settings;

    // The lists are unmodifiable, and the factories have no state.
    @SuppressWarnings("ImmutableEnumChecker")
    private final List<Promise> promises;

    @SuppressWarnings("ImmutableEnumChecker")
    private final BiFunction<Integer, Timing, LockUnderTest> factory;

    Library(String label, String settings, List<Promise> promises, BiFunction<Integer, Timing, LockUnderTest> factory) {
        this.label = label;
        this.settings = settings;
        this.promises = promises;
        this.factory = factory;
    }

    String label() {
        return this.label;
    }

    String settings() {
        return this.settings;
    }

    List<Promise> promises() {
        return this.promises;
    }

    Optional<Promise> promise(Rule rule) {
        return this.promises.stream().filter(promise -> promise.rule() == rule).findFirst();
    }

    private boolean isRedisson() {
        return this == REDISSON || this == REDISSON_FENCED || this == LOCK4J_REDISSON;
    }

    /** Returns how long a reply may be under way. */
    Duration reply(Timing timing) {
        return isRedisson() ? Redis.redissonTimeout(timing) : timing.command();
    }

    /** Returns how long a command may take with all its repetitions. */
    Duration command(Timing timing) {
        return isRedisson()
                ? reply(timing)
                        .multipliedBy(1 + REDISSON_RETRIES)
                        .plus(Redis.longestRetryDelay(timing).multipliedBy(REDISSON_RETRIES))
                : timing.command();
    }

    /** Returns whether its leases report how long the owner may rely on them. */
    boolean reportsRemaining() {
        return this == LOCK_STARTER || this == LOCK_STARTER_CONFIRMED;
    }

    /** Returns whether a rule need not hold over a loss of data by that trouble. */
    boolean isExcusedBy(Trouble loss, Rule rule) {
        return switch (rule) {
            case WAITING -> false;
            case TOKENS -> !reportsRemaining(); // its documents promise them then, too
            default -> this != LOCK_STARTER_CONFIRMED || loss != Trouble.REDIS_FAILED_OVER_WITH_LOSS;
        };
    }

    LockUnderTest open(int port, Timing timing) {
        return this.factory.apply(port, timing);
    }

    /** The promises, as the documents have them. */
    private static final class Documents {

        private static final String GUARANTEES = "docs/reference/guarantees.md";

        private static final List<Promise> LOCK_STARTER = List.of(
                new Promise(Rule.BELIEF, "guarantees 1 and 2", GUARANTEES),
                new Promise(Rule.TOKENS, "guarantee 5, after a loss of data as well", GUARANTEES),
                new Promise(Rule.NOTICE, "guarantee 3", GUARANTEES),
                new Promise(Rule.RELEASE, "guarantee 3", GUARANTEES),
                new Promise(Rule.WAITING, "guarantee 10", GUARANTEES));

        private static final String REDISSON_LOCKS =
                "https://redisson.pro/docs/data-and-services/locks-and-synchronizers/";

        private static final List<Promise> REDISSON = List.of(
                new Promise(
                        Rule.BELIEF,
                        "General mutual exclusion [...] maintains lock watchdog, it prolongs lock expiration"
                                + " while lock holder"
                                + " Redisson instance is alive",
                        REDISSON_LOCKS),
                new Promise(
                        Rule.RELEASE,
                        "only lock owner thread can unlock it otherwise `IllegalMonitorStateException` would be"
                                + " thrown",
                        REDISSON_LOCKS),
                new Promise(
                        Rule.WAITING,
                        "Waits up to defined `waitTime` if necessary until the lock became available",
                        "Javadoc of `org.redisson.api.RLock`"));

        private static final List<Promise> REDISSON_FENCED = Stream.concat(
                        REDISSON.stream(),
                        Stream.of(new Promise(
                                Rule.TOKENS,
                                "RFencedLock returns a monotonically increasing token on each acquisition",
                                REDISSON_LOCKS)))
                .toList();

        private static final String SPRING_REDIS =
                "https://docs.spring.io/spring-integration/reference/redis.html#redis-lock-registry";

        private static final List<Promise> SPRING_INTEGRATION = List.of(
                new Promise(
                        Rule.BELIEF,
                        "such that only one instance can manipulate the group at a time [...] the locks in this"
                                + " registry are"
                                + " expired after default 60 seconds, but it can be configured on the registry",
                        SPRING_REDIS),
                new Promise(
                        Rule.RELEASE,
                        "an attempt to unlock an expired lock results in an exception being thrown",
                        SPRING_REDIS),
                new Promise(
                        Rule.WAITING,
                        "If the specified waiting time elapses then the value `false` is returned",
                        "Javadoc of `java.util.concurrent.locks.Lock`, which the locks implement"));

        private static final String LOCK4J_README = "https://github.com/baomidou/lock4j/blob/master/README.md";

        private static final List<Promise> LOCK4J = List.of(
                new Promise(Rule.BELIEF, "同一个key只能被一个客户端持有", "Javadoc of `com.baomidou.lock.LockTemplate`"),
                new Promise(Rule.RELEASE, "@return 是否释放成功", "Javadoc of `com.baomidou.lock.executor.LockExecutor`"),
                new Promise(Rule.WAITING, "超过这个时才就退出排队，抛出获取锁超时异常", LOCK4J_README));

        private static final List<Promise> SHED_LOCK = List.of(
                new Promise(
                        Rule.BELIEF,
                        "Only one task with the same name can be executed at the same time. [...] If the task"
                                + " takes longer than"
                                + " `lockAtMostFor` the resulting behavior may be unpredictable (more than one"
                                + " process will"
                                + " effectively hold the lock).",
                        "https://github.com/lukas-krecan/ShedLock/blob/master/README.md"),
                new Promise(
                        Rule.WAITING,
                        "execution on other nodes does not wait, it is simply skipped",
                        "https://github.com/lukas-krecan/ShedLock/blob/master/README.md"));
    }
}

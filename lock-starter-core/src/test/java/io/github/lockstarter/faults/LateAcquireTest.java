package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** An acquire that Redis executes when its caller has long given up. */
@RedisTest
class LateAcquireTest {

    private static final Duration LEASE = Duration.ofMillis(1500);

    /** How late a key may be noticed to be gone. */
    private static final Duration LOOK = Duration.ofMillis(300);

    private static final String KEY = "lock:{late}";

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    @AutoClose
    private final RedisMonitor monitor;

    LateAcquireTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.proxy = proxy;
        this.redis = redis;
        this.monitor = RedisMonitor.of(server);
        Script.loadAll(redis);
    }

    @Test
    void shouldLeaveNothingAfterANetworkThatWasStalled() {
        Instance instance = this.instances.at(this.proxy, LateAcquireTest::quick);
        this.proxy.stallRequests();
        assertThatTryLockFails(instance);
        soon().until(() -> this.proxy.commandsSeen(Script.RELEASE.of(KEY)) > 0);
        assertThat(this.monitor.scriptsOn(KEY)).isEmpty();

        this.proxy.heal();

        soon().until(() -> this.monitor.count(Script.ACQUIRE, KEY) == 1);
        assertThatTheKeyGoesWithoutRenewal();
    }

    @Test
    void shouldTakeBackAGrantThatComesAfterTheRelease() {
        Instance instance = this.instances.at(this.proxy, setup -> quick(setup).lease(LEASE.multipliedBy(2)));
        this.proxy.swallowRequestOf(Script.ACQUIRE, () -> {});
        assertThatTryLockFails(instance);
        // "not mine": the acquire is still on its way
        soon().until(() -> this.monitor.count(Script.RELEASE, KEY) > 0);
        assertThat(this.monitor.count(Script.ACQUIRE, KEY)).isZero();

        String id = Script.ACQUIRE.idsSeen(this.proxy).iterator().next();
        Script.acquire(this.redis, KEY, id, LEASE.multipliedBy(2));

        within(LEASE).until(() -> !this.redis.exists(KEY));
        assertThat(this.monitor.scriptsOn(KEY))
                .as("taken back, for it has not run out yet")
                .containsSubsequence(Script.RELEASE, Script.ACQUIRE, Script.RELEASE)
                .doesNotContain(Script.RENEW);
    }

    @Test
    void shouldTakeBackALateAttemptOfAGrantThatWasReleased() throws Exception {
        Instance instance = this.instances.at(this.proxy, LateAcquireTest::quick);
        LeaseLock lock = instance.lock("late");
        try (Hold acquire = this.proxy.hold(Script.ACQUIRE)) {
            assertThat(lock.tryLock(LIMIT)).as("by a second attempt").isTrue();
            assertThat(acquire.isReached()).isTrue();
            lock.unlock();
            acquire.release();
        }

        soon().until(() -> this.monitor.count(Script.ACQUIRE, KEY) > 1);
        assertThat(this.monitor.scriptsOn(KEY))
                .containsSubsequence(Script.ACQUIRE, Script.RELEASE, Script.ACQUIRE)
                .doesNotContain(Script.RENEW);
        assertThatTheKeyGoesWithoutRenewal();
    }

    @Test
    void shouldTakeBackALateAttemptOfACallThatWasCancelled() throws Exception {
        Instance instance = this.instances.at(this.proxy, LateAcquireTest::quick);
        try (Hold acquire = this.proxy.hold(Script.ACQUIRE)) {
            CompletableFuture<?> lease =
                    instance.registry().acquireAsync(LockRequest.of("late")).toCompletableFuture();
            acquire.awaitReached(LIMIT);
            lease.cancel(true);
            soon().until(() -> this.monitor.count(Script.RELEASE, KEY) > 0);
            acquire.release();
        }

        soon().until(() -> this.monitor.count(Script.ACQUIRE, KEY) == 1);
        assertThatTheKeyGoesWithoutRenewal();
    }

    @Test
    void shouldNotHarmTheLeaseThatALaterAttemptWasGranted() throws Exception {
        Instance instance = this.instances.at(this.proxy, LateAcquireTest::quick);
        LeaseLock lock = instance.lock("late");
        try (Hold acquire = this.proxy.hold(Script.ACQUIRE)) {
            assertThat(lock.tryLock(LIMIT)).isTrue();
            acquire.release();
        }

        soon().until(() ->
                this.monitor.count(Script.ACQUIRE, KEY) > 1 && instance.events().count(LockRenewedEvent.class) > 3);
        assertThat(this.redis.hgetall(KEY))
                .containsEntry("f", Long.toString(lock.currentLease().fencingToken()));
        lock.unlock();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    @Test
    void shouldNotShortenTheLeaseThatWasLengthenedMeanwhile() throws Exception {
        Instance instance = this.instances.at(this.proxy, LateAcquireTest::quick);
        LeaseLock lock = instance.lock("late");
        try (Hold acquire = this.proxy.hold(Script.ACQUIRE)) {
            assertThat(lock.tryLock(LIMIT, Duration.ofSeconds(3))).isTrue();
            assertThat(lock.tryLock(LIMIT, Duration.ofSeconds(30))).as("nested").isTrue();
            long executed = this.monitor.count(Script.ACQUIRE, KEY);
            acquire.release();
            soon().until(() -> this.monitor.count(Script.ACQUIRE, KEY) > executed);
        }

        long pttl = this.redis.pttl(KEY);
        assertThat(lock.currentLease().remaining().toMillis())
                .as("what the owner believes is true")
                .isLessThan(pttl);
    }

    private static void assertThatTryLockFails(Instance instance) {
        LeaseLock lock = instance.lock("late");
        LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);
        assertThat(failure.isOutcomeUnknown()).isTrue();
    }

    private void assertThatTheKeyGoesWithoutRenewal() {
        within(LEASE.plus(LOOK)).until(() -> !this.redis.exists(KEY));
        assertThat(this.monitor.scriptsOn(KEY)).doesNotContain(Script.RENEW);
    }

    private static Setup quick(Setup setup) {
        return setup.lease(LEASE).commandTimeout(Duration.ofMillis(200));
    }
}

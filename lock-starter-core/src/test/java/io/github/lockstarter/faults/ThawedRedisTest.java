package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Redis stands still for longer than a lease lasts, and then executes all that has arrived meanwhile. */
@RedisTest
class ThawedRedisTest {

    private static final Duration LEASE = Duration.ofMillis(1500);

    private static final String KEY = "lock:{thawed}";

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisServer server;

    private final FaultProxy proxy;

    private final RedisCli redis;

    ThawedRedisTest(RedisServer server, FaultProxy proxy, RedisCli redis) {
        this.server = server;
        this.proxy = proxy;
        this.redis = redis;
        Script.loadAll(redis);
    }

    @AfterEach
    void thaw() {
        this.server.resume();
    }

    @Test
    void shouldNotProlongTheLeaseOfTheSuccessorByOldRenewals() throws Exception {
        Instance instance = this.instances.at(this.proxy, setup -> setup.lease(LEASE));
        Instance other = this.instances.at(this.server);
        Lease lease = instance.registry().acquire(LockRequest.of("thawed"));
        try (RedisMonitor monitor = RedisMonitor.of(this.server)) {
            // never renewed: whatever renews after this comes from the other one
            Duration fixed = Duration.ofSeconds(20);
            Call<Lease> waiter = Call.start(() -> other.registry()
                    .acquire(LockRequest.of("thawed").withLease(fixed).withWaitTime(Duration.ofMinutes(1))));
            soon().until(() -> monitor.count(Script.ACQUIRE, KEY) > 0);
            this.server.pause();
            long frozenAt = System.currentTimeMillis();
            this.proxy.forgetCommands();
            assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS))
                    .isEqualTo(LossReason.EXPIRED);
            assertThat(this.proxy.commandsSeen(Script.RENEW.of(KEY)))
                    .as("renewals that wait for Redis")
                    .isPositive();
            within(LEASE.multipliedBy(2)).until(() -> System.currentTimeMillis() - frozenAt > LEASE.toMillis());
            long before = monitor.count(Script.RENEW, KEY);

            this.server.resume();

            Lease successor = waiter.result();
            soon().until(() -> monitor.count(Script.RENEW, KEY) > before);
            assertThat(successor.fencingToken()).isGreaterThan(lease.fencingToken());
            assertThat(this.redis.hgetall(KEY)).containsEntry("f", Long.toString(successor.fencingToken()));
            assertThat(this.redis.pttl(KEY)).isBetween(1L, fixed.toMillis());
            assertThat(lease.release()).isFalse();
            assertThat(successor.release()).as("nobody else touched it").isTrue();
            soon().until(() -> this.redis.keys().isEmpty());
        }
    }

    /** The acquire waits in the socket of a connection that its client has long given up. */
    @Test
    void shouldTakeBackAnAcquireOfAConnectionThatIsGone() {
        Instance instance = this.instances.at(
                this.proxy, setup -> setup.lease(Duration.ofSeconds(30)).commandTimeout(Duration.ofMillis(200)));
        LeaseLock lock = instance.lock("thawed");
        try (RedisMonitor monitor = RedisMonitor.of(this.server)) {
            this.server.pause();
            LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);
            assertThat(failure.isOutcomeUnknown()).isTrue();
            this.proxy.cutRst();

            this.server.resume();

            soon().until(() -> monitor.count(Script.ACQUIRE, KEY) == 1);
            within(LIMIT).until(() -> !this.redis.exists(KEY));
            assertThat(monitor.scriptsOn(KEY))
                    .as("taken back, for it has not run out")
                    .contains(Script.RELEASE)
                    .doesNotContain(Script.RENEW);
        }
        assertThat(lock.getHoldCount()).isZero();
    }
}

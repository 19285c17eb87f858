package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockReleasedEvent.Outcome;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A release whose reply, or which itself, never arrives. */
@RedisTest
class LostReleaseReplyTest {

    private static final String KEY = "lock:{left}";

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final RedisServer server;

    LostReleaseReplyTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.proxy = proxy;
        this.redis = redis;
        this.server = server;
        Script.loadAll(redis);
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotDeleteTheKeyOfTheSuccessor(ConnectionEnd end) throws Exception {
        try (RedisMonitor monitor = RedisMonitor.of(this.server)) {
            Instance instance = this.instances.at(this.proxy, LostReleaseReplyTest::longLease);
            Instance successor = this.instances.at(this.server, LostReleaseReplyTest::longLease);
            Lease lease = instance.registry().acquire(LockRequest.of("left"));
            this.proxy.swallowReplyOf(Script.RELEASE, () -> end.of(this.proxy));
            Call<Boolean> release = Call.start(lease::release);

            assertThat(successor.lock("left").tryLock(Duration.ofSeconds(5))).isTrue();
            String owner = this.redis.hgetall(KEY).get("o");
            assertThat(release.result()).as("ours until now").isTrue();
            soon().until(() -> monitor.count(Script.RELEASE, KEY) > 1);

            assertThat(this.redis.hgetall(KEY)).containsEntry("o", owner);
            successor.lock("left").unlock();
            assertThat(this.redis.exists(KEY)).isFalse();
            assertThatNothingWasLost(instance);
        }
    }

    /** Lettuce executes the release again on its next connection, and Redis answers that nobody owns the lock. */
    @Test
    void shouldNotTakeTheAnswerToAReplayForALoss() {
        Instance instance =
                this.instances.at(this.proxy, setup -> longLease(setup).sharedConnection());
        LeaseLock lock = instance.lock("left");
        lock.lock();
        this.proxy.swallowReplyOf(Script.RELEASE, this.proxy::cutFin);

        assertThatCode(lock::unlock).doesNotThrowAnyException();

        assertThat(this.proxy.commandsSeen(Script.RELEASE)).isEqualTo(2);
        assertThatNothingWasLost(instance);
    }

    private static void assertThatNothingWasLost(Instance instance) {
        soon().untilAsserted(() ->
                assertThat(instance.events().count(LockReleasedEvent.class)).isEqualTo(1));
        assertThat(instance.events().all(LockReleasedEvent.class))
                .extracting(LockReleasedEvent::outcome)
                .doesNotContain(Outcome.LOST);
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(instance.active()).isZero();
    }

    /** So long that a key which is gone did not run out. */
    private static Setup longLease(Setup setup) {
        return setup.lease(Duration.ofSeconds(30));
    }
}

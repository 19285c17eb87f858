package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockReleasedEvent.Outcome;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A lock that is kept for a minimum hold, with commands that are executed late, twice, or without an answer. */
@RedisTest
class MinimumHoldTest {

    private static final String KEY = "lock:{kept}";

    private static final Duration HOLD = Duration.ofSeconds(10);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final RedisServer server;

    MinimumHoldTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.proxy = proxy;
        this.redis = redis;
        this.server = server;
        Script.loadAll(redis);
    }

    @Test
    void shouldNotChangeWhenCommandsOfItsGrantAreLate() throws Exception {
        Instance instance = this.instances.at(this.proxy, MinimumHoldTest::longLease);
        Lease lease = instance.acquire("kept");
        String id = this.redis.hgetall(KEY).get("o");

        assertThat(lease.releaseAfter(HOLD)).isTrue();
        Script.RENEW.call(this.redis, KEY, "60000", id);
        Script.ACQUIRE.call(this.redis, KEY, id, "60000");
        Script.ACQUIRE.call(this.redis, KEY, id, "60000", "20000", "");
        Script.RELEASE.call(this.redis, KEY, id, "0", "lock:inbox:", "1");
        Script.KEEP.call(this.redis, KEY, id, "60000");

        assertThat(this.redis.pttl(KEY)).isBetween(HOLD.toMillis() / 2, HOLD.toMillis());
        assertThat(this.redis.hgetall(KEY)).doesNotContainKey("q");
        assertThat(instance.lock("kept").tryLock()).isFalse();
        assertThatNothingWasLost(instance);
    }

    @Test
    void shouldEndByForce() throws Exception {
        Instance instance = this.instances.at(this.proxy, MinimumHoldTest::longLease);
        assertThat(instance.acquire("kept").releaseAfter(HOLD)).isTrue();

        assertThat(instance.lock("kept").forceUnlock()).isTrue();

        assertThat(this.redis.exists(KEY)).isFalse();
        assertThat(instance.acquire("kept").release()).isTrue();
    }

    /** Lettuce executes the command again on its next connection, and Redis answers that another one owns the lock. */
    @Test
    void shouldNotTakeTheAnswerToAReplayForALoss() throws Exception {
        Instance instance =
                this.instances.at(this.proxy, setup -> longLease(setup).sharedConnection());
        Instance other = this.instances.at(this.server, MinimumHoldTest::longLease);
        Lease lease = instance.acquire("kept");
        CompletableFuture<Void> disconnected = this.proxy.disconnectAtReplyOf(Script.KEEP);
        Call<Boolean> release = Call.start(() -> lease.releaseAfter(Duration.ofMillis(50)));
        Lease next = other.acquire("kept");
        disconnected.get(10, TimeUnit.SECONDS);
        this.proxy.accept();

        assertThat(release.result()).as("ours until now").isTrue();
        assertThatNothingWasLost(instance);
        assertThat(next.release()).isTrue();
    }

    private static void assertThatNothingWasLost(Instance instance) {
        soon().untilAsserted(() -> assertThat(instance.events().all(LockReleasedEvent.class))
                .extracting(LockReleasedEvent::outcome)
                .containsExactly(Outcome.RELEASED));
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(instance.active()).isZero();
    }

    /** So long that a key which is gone did not run out. */
    private static Setup longLease(Setup setup) {
        return setup.lease(Duration.ofSeconds(30));
    }
}

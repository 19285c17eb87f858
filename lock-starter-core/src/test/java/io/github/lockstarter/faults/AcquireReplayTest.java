package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An acquire that is executed twice, because its connection ended before the reply came, is one grant. */
@RedisTest
class AcquireReplayTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    AcquireReplayTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
    }

    @BeforeEach
    void loadScripts() {
        Script.loadAll(this.redis);
    }

    @Test
    void shouldBeOneGrantIfTheClientReplaysTheCommand() {
        Instance instance = this.instances.at(this.proxy, Setup::sharedConnection);
        this.redis.command("CONFIG", "RESETSTAT");
        this.proxy.swallowReplyOf(Script.ACQUIRE, this.proxy::cutFin);

        assertThat(instance.lock("replayed").tryLock()).isTrue();

        assertThat(this.proxy.commandsSeen(Script.ACQUIRE))
                .as("the client replays")
                .isEqualTo(2);
        assertThatIsOneGrant(instance);
    }

    @Test
    void shouldBeOneGrantIfAThreadRetriesTheCommand() throws Exception {
        Instance instance = this.instances.at(this.proxy);
        this.redis.command("CONFIG", "RESETSTAT");
        this.proxy.swallowReplyOf(Script.ACQUIRE, this.proxy::cutFin);

        assertThat(instance.lock("replayed").tryLock(Duration.ofSeconds(5))).isTrue();

        assertThat(this.proxy.commandsSeen(Script.ACQUIRE)).isGreaterThan(1);
        assertThatIsOneGrant(instance);
    }

    private void assertThatIsOneGrant(Instance instance) {
        LeaseLock lock = instance.lock("replayed");
        assertThatRedisHasOneGrant(instance, lock.currentLease());
        assertThat(lock.getHoldCount()).isEqualTo(1);
        lock.unlock();
        assertThat(this.redis.exists("lock:{replayed}")).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    private void assertThatRedisHasOneGrant(Instance instance, Lease lease) {
        assertThat(Script.ACQUIRE.idsSeen(this.proxy)).as("one id for all").hasSize(1);
        assertThat(this.redis.infoCommandStats().get("hset")).as("written once").isEqualTo(1);
        soon().untilAsserted(() ->
                assertThat(instance.events().count(LockAcquiredEvent.class)).isEqualTo(1));
        assertThat(this.redis.hgetall("lock:{replayed}"))
                .isEqualTo(Map.of(
                        "o",
                        Script.ACQUIRE.idsSeen(this.proxy).iterator().next(),
                        "f",
                        Long.toString(lease.fencingToken())));
    }
}

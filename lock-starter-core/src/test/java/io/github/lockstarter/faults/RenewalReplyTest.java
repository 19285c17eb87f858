package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A renewal that was executed, and whose reply comes late, or never, or twice. */
@RedisTest
class RenewalReplyTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private static final String KEY = "lock:{renewed}";

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    RenewalReplyTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        Script.loadAll(redis);
    }

    /** Over a connection that waits long enough to take the late reply. */
    private Instance patient() {
        return this.instances.at(this.proxy, setup -> setup.lease(LEASE).sharedConnection());
    }

    @ParameterizedTest
    @EnumSource
    void shouldRenewAgainWhenTheReplyIsLost(ConnectionEnd end) throws Exception {
        Instance instance = this.instances.at(this.proxy, setup -> setup.lease(LEASE));
        Lease lease = instance.registry().acquire(LockRequest.of("renewed"));
        this.proxy.swallowReplyOf(Script.RENEW, () -> end.of(this.proxy));

        soon().until(() -> instance.events().count(LockRecoveredEvent.class) > 0);

        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    @Test
    void shouldHaveTheEffectOfOneRenewalWhenTheClientReplaysIt() throws Exception {
        Instance instance = patient();
        Lease lease = instance.registry().acquire(LockRequest.of("renewed"));
        this.proxy.swallowReplyOf(Script.RENEW, this.proxy::cutFin);

        soon().until(() -> instance.events().count(LockRenewedEvent.class) > 0);

        assertThat(this.proxy.commandsSeen(Script.RENEW)).isGreaterThanOrEqualTo(2);
        assertThat(this.redis.pttl(KEY)).isBetween(1L, LEASE.toMillis());
        assertThat(this.redis.hgetall(KEY)).containsEntry("f", Long.toString(lease.fencingToken()));
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(lease.release()).isTrue();
    }
}

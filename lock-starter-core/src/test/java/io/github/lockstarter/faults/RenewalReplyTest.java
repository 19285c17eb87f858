package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
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

    @Test
    void shouldCountFromTheSendingWhenTheReplyIsLate() throws Exception {
        Instance instance = patient();
        Lease lease = instance.registry().acquire(LockRequest.of("renewed"));
        try (Hold next = holdNextRenewalAfterALateReply(instance)) {
            long left = this.redis.pttl(KEY);
            long believed = lease.remaining().toMillis();

            assertThat(next.isReached() || lease.isHeld()).isTrue();
            assertThat(believed).as("no longer than Redis").isBetween(1L, left);
        }
    }

    /** Held back is what would set the lease once more, and hide what the late reply set. */
    private Hold holdNextRenewalAfterALateReply(Instance instance) throws InterruptedException {
        Hold next;
        try (Hold reply = this.proxy.holdReply(Script.RENEW)) {
            reply.awaitReached(LIMIT);
            next = this.proxy.hold(Script.RENEW);
            within(LEASE).until(() -> this.redis.pttl(KEY) < LEASE.toMillis() * 6 / 10);
        }
        soon().until(() -> instance.events().count(LockRenewedEvent.class) > 0);
        return next;
    }

    @Test
    void shouldStayLostWhenTheReplyComesAfterTheDeadline() throws Exception {
        Instance instance = patient();
        Lease lease = instance.registry().acquire(LockRequest.of("renewed"));
        try (Hold reply = this.proxy.holdReply(Script.RENEW)) {
            reply.awaitReached(LIMIT);
            // whatever Redis says now is older than what the owner believes then
            while (this.redis.pttl(KEY) > LEASE.toMillis() / 5) {
                boolean gone = !this.redis.exists(KEY);
                assertThat(gone && lease.isHeld()).as("held without a key").isFalse();
            }
            assertThat(lease.state()).as("nobody has confirmed it").isEqualTo(State.LOST);
            assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS))
                    .isEqualTo(LossReason.EXPIRED);
        }

        within(LEASE.multipliedBy(3)).until(() -> !this.redis.exists(KEY));
        assertThat(lease.state()).isEqualTo(State.LOST);
        assertThat(lease.remaining()).isZero();
        assertThat(instance.events().count(LockRecoveredEvent.class)).isZero();
        assertThat(instance.events().count(LockLostEvent.class)).isEqualTo(1);
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

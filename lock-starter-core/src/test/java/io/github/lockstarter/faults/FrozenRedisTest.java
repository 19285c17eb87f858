package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Redis stands still for a while. Its clock, by which keys run out, does not. */
@RedisTest
class FrozenRedisTest {

    private static final Duration LEASE = Duration.ofSeconds(4);

    private static final String KEY = "lock:{frozen}";

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisServer server;

    private final RedisCli redis;

    private final Instance instance;

    FrozenRedisTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
        this.instance = this.instances.at(server, setup -> setup.lease(LEASE));
    }

    @AfterEach
    void thaw() {
        this.server.resume();
    }

    @Test
    void shouldTellTheOwnerBeforeAnybodyElseIsGrantedTheLock() throws Exception {
        Instance other = this.instances.at(this.server, setup -> setup.lease(LEASE));
        Lease lease = this.instance.registry().acquire(LockRequest.of("frozen"));
        AtomicLong lostAt = new AtomicLong();
        AtomicLong lostAtWall = new AtomicLong();
        var noticed = lease.lost().thenRun(() -> {
            lostAtWall.set(System.currentTimeMillis());
            lostAt.set(System.nanoTime());
        });
        Call<Long> successor = Call.start(() -> {
            other.lock("frozen").lock();
            return System.nanoTime();
        });
        long runsOutAt = freezeAfterARenewal();

        // nobody looks at the lease: it is the watchdog that notices, without an answer from anybody
        within(LEASE.multipliedBy(2)).until(() -> noticed.toCompletableFuture().isDone());

        assertThat(this.server.isPaused()).isTrue();
        assertThat(lostAtWall.get()).as("while the key is still there").isLessThan(runsOutAt);
        assertThat(lease.state()).isEqualTo(State.LOST);
        assertThat(this.instance.events().all(LockLostEvent.class))
                .extracting(LockLostEvent::reason)
                .containsExactly(LossReason.EXPIRED);
        assertThat(this.instance.events().all(LockEvent.class))
                .as("a warning came first")
                .extracting(Object::getClass)
                .asInstanceOf(LIST)
                .containsSubsequence(LockAtRiskEvent.class, LockLostEvent.class);
        assertThat(successor.isDone()).isFalse();

        within(LEASE).until(() -> System.currentTimeMillis() > runsOutAt);
        this.server.resume();

        assertThat(successor.result()).isGreaterThan(lostAt.get());
        assertThat(lease.release()).as("no longer ours").isFalse();
        assertThat(this.redis.hgetall(KEY).get("f"))
                .as("the successor's, with a larger token")
                .satisfies(token -> assertThat(Long.parseLong(token)).isGreaterThan(lease.fencingToken()));
    }

    @Test
    void shouldNeverBelieveInALeaseThatRedisHasEnded() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("frozen"));
        long runsOutAt = freezeAfterARenewal();

        long lookedAt = System.currentTimeMillis();
        while (lease.isHeld()) {
            assertThat(lookedAt).as("still held").isLessThan(runsOutAt);
            assertThat(lookedAt + lease.remaining().toMillis()).isLessThan(runsOutAt);
            lookedAt = System.currentTimeMillis();
        }
        assertThat(lease.remaining()).isZero();
    }

    @Test
    void shouldKeepTheLockIfRedisIsBackInTime() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("frozen"));
        freezeAfterARenewal();
        long recovered = this.instance.events().count(LockRecoveredEvent.class);
        soon().until(() -> lease.state() == State.AT_RISK);
        soon().until(() -> this.instance.events().count(LockAtRiskEvent.class) > recovered);
        assertThat(lease.isHeld()).isTrue();
        this.server.resume();

        soon().until(() -> this.instance.events().count(LockRecoveredEvent.class) > recovered);
        long renewed = this.instance.events().count(LockRenewedEvent.class);
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) > renewed);

        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(this.instance.events().count(LockLostEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    /** The next renewal is a third of the lease away, so none comes between asking and freezing. */
    private long freezeAfterARenewal() {
        long renewed = this.instance.events().count(LockRenewedEvent.class);
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) > renewed);
        long runsOutAt = System.currentTimeMillis() + this.redis.pttl(KEY);
        this.server.pause();
        return runsOutAt;
    }
}

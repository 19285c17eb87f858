package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Redis stands still after a hand-over, before the first renewal: its clock, by which the key expires, does not. */
@RedisTest
class FrozenAfterHandOverTest {

    private static final String KEY = SilentOwner.KEY;

    private static final Duration POLL = Duration.ofSeconds(2);

    private static final Duration CLAIM = POLL.multipliedBy(2);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisServer server;

    private final RedisCli redis;

    private final SilentOwner owner;

    private final Instance instance;

    FrozenAfterHandOverTest(FaultProxy proxy, RedisServer server, RedisCli redis) {
        this.proxy = proxy;
        this.server = server;
        this.redis = redis;
        this.owner = new SilentOwner(redis);
        this.instance = this.instances.at(proxy, FrozenAfterHandOverTest::brief);
    }

    private static Setup brief(Setup setup) {
        return setup.lease(Duration.ofSeconds(5)).pollInterval(POLL).commandTimeout(Duration.ofMillis(800));
    }

    @AfterEach
    void thaw() {
        this.server.resume();
    }

    @Test
    void shouldLoseTheLockBeforeItCanHaveAnotherOwner() throws Exception {
        AtomicReference<Lease> lease = new AtomicReference<>();
        AtomicLong lostAt = new AtomicLong();
        AtomicLong lostAtWall = new AtomicLong();
        CountDownLatch inside = new CountDownLatch(1);
        LockRequest request = LockRequest.of(SilentOwner.NAME).withWaitTime(LIMIT);
        Call<Boolean> body = Call.start(() -> this.instance.registry().execute(request, mine -> {
            lease.set(mine);
            inside.countDown();
            while (mine.isHeld()) {
                Thread.onSpinWait();
            }
            lostAtWall.set(System.currentTimeMillis());
            lostAt.set(System.nanoTime());
            return true;
        }));
        this.owner.awaitProof(this.instance, this.proxy);
        Instance other = this.instances.at(this.server, FrozenAfterHandOverTest::brief);
        this.owner.awaitProof(this.instance, this.proxy);
        long keyEnds;
        try (Hold renewal = this.proxy.hold(Script.RENEW.of(KEY))) {
            SilentOwner.Message message = this.owner.release();
            // A late message: what is counted from its receipt ends after the key.
            soon().until(() -> this.redis.pttl(KEY) < CLAIM.minusMillis(900).toMillis());
            this.owner.publish(message);
            renewal.awaitReached(LIMIT);
            keyEnds = System.currentTimeMillis() + this.redis.pttl(KEY);
            this.server.pause();
        }
        assertThat(inside.await(10, TimeUnit.SECONDS))
                .as("does not wait for the renewal")
                .isTrue();
        Call<Long> successor = Call.start(() -> {
            other.registry().acquire(request).close();
            return System.nanoTime();
        });

        assertThat(body.failure())
                .asInstanceOf(type(LockLostException.class))
                .extracting(LockLostException::reason)
                .isEqualTo(LossReason.EXPIRED);

        assertThat(this.server.isPaused()).isTrue();
        assertThat(lostAtWall.get()).as("while the key is still there").isLessThan(keyEnds);
        soon().until(() -> this.instance.events().count(LockLostEvent.class) == 1);
        assertThat(this.instance.events().all(LockEvent.class))
                .as("a warning came first")
                .extracting(Object::getClass)
                .asInstanceOf(LIST)
                .containsSubsequence(LockAtRiskEvent.class, LockLostEvent.class);
        within(CLAIM).until(() -> System.currentTimeMillis() > keyEnds);
        this.server.resume();
        assertThat(successor.result()).isGreaterThan(lostAt.get());
        assertThat(lease.get().release()).isFalse();
    }
}

package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockReleasedEvent.Outcome;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Redis forgets scripts: when it is told to, when it restarts, after a failover. */
@RedisTest
class ScriptFlushTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCli redis;

    private final RedisServer server;

    private final Instance instance;

    ScriptFlushTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.redis = redis;
        this.server = server;
        this.instance = this.instances.at(proxy, Setup::calm);
    }

    @Test
    void shouldTeachRedisEachScript() {
        LeaseLock lock = this.instance.lock("flushed");
        this.redis.command("SCRIPT", "FLUSH");
        assertThat(lock.tryLock()).isTrue();
        this.redis.command("SCRIPT", "FLUSH");
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) > 0);
        this.redis.command("SCRIPT", "FLUSH");
        lock.unlock();
        assertThat(this.redis.exists("lock:{flushed}")).isFalse();
        assertThatNothingFailed();
    }

    @Test
    void shouldNotFailWhileScriptsAreForgottenAllTheTime() throws Exception {
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            held.add(this.instance.registry().acquire(LockRequest.of("held:" + i)));
        }
        AtomicBoolean over = new AtomicBoolean();
        Call<Integer> flushing = Call.start(() -> flushUntil(over));
        List<Call<Integer>> workers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String name = "busy:" + i % 2;
            workers.add(Call.start(() -> lockUntil(over, name)));
        }

        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) > 5 * 4);
        over.set(true);

        assertThat(flushing.result()).isGreaterThan(100);
        for (Call<Integer> worker : workers) {
            assertThat(worker.result()).isGreaterThan(10);
        }
        assertThat(held).allSatisfy(lease -> assertThat(lease.state()).isEqualTo(State.HELD));
        assertThat(held).allSatisfy(lease -> assertThat(lease.release()).isTrue());
        assertThat(this.redis.keys()).isEmpty();
        assertThatNothingFailed();
    }

    private int flushUntil(AtomicBoolean over) {
        int flushes = 0;
        try (RedisCli flushing = this.server.cli()) {
            for (; !over.get(); flushes++) {
                flushing.command("SCRIPT", "FLUSH");
            }
        }
        return flushes;
    }

    private int lockUntil(AtomicBoolean over, String name) throws InterruptedException {
        int grants = 0;
        for (; !over.get(); grants++) {
            assertThat(this.instance.lock(name).tryLock(Duration.ofSeconds(5))).isTrue();
            this.instance.lock(name).unlock();
        }
        return grants;
    }

    private void assertThatNothingFailed() {
        EventLog events = this.instance.events();
        soon().until(() -> this.instance.active() == 0);
        // Events are delivered in their order, by a thread of its own: with these, all before have been.
        assertThat(this.instance.lock("last").tryLock()).isTrue();
        this.instance.lock("last").unlock();
        soon().until(() -> events.count(LockReleasedEvent.class, "last") == 1);
        assertThat(events.count(LockNotAcquiredEvent.class)).isZero();
        assertThat(events.count(LockRenewalFailedEvent.class)).isZero();
        assertThat(events.count(LockAtRiskEvent.class)).isZero();
        assertThat(events.count(LockLostEvent.class)).isZero();
        assertThat(events.all(LockReleasedEvent.class))
                .extracting(LockReleasedEvent::outcome)
                .containsOnly(Outcome.RELEASED);
    }
}

package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.engine.ReleaseMode;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.metrics.MicrometerLockListener;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A release that returns when its command is on its way, and what becomes of the answer. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class BackgroundModeTest {

    private static final String KEY = "lock:{sent}";

    private static final Duration LONG = Duration.ofSeconds(60);

    @AutoClose
    private final Instances instances = new Instances();

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final Instance instance;

    BackgroundModeTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        Script.loadAll(redis);
        this.instance = this.instances.at(
                proxy,
                setup -> patient(setup)
                        .releaseMode(ReleaseMode.BACKGROUND)
                        .meters(new MicrometerLockListener(this.meters)));
    }

    private static Setup patient(Setup setup) {
        return setup.lease(LONG).pollInterval(LONG).commandTimeout(Duration.ofSeconds(15));
    }

    @Test
    void shouldNotWaitForTheAnswer() throws Exception {
        LeaseLock lock = this.instance.lock("sent");
        lock.lock();
        Lease lease = lock.currentLease();
        try (Hold answer = this.proxy.holdReply(Script.RELEASE.of(KEY))) {
            lock.unlock();

            answer.awaitReached(LIMIT);
            assertThat(lease.isHeld()).isFalse();
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            assertThat(this.redis.exists(KEY)).as("and yet it is done").isFalse();
            assertThat(this.instance.active()).as("until the answer comes").isEqualTo(1);
        }
        soon().until(() -> this.instance.active() == 0);
        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
    }

    @Test
    void shouldBeOrderedBeforeWhatTheSameThreadAsksNext() throws Exception {
        LeaseLock lock = this.instance.lock("sent");
        lock.lock();
        long token = lock.currentLease().fencingToken();
        for (int i = 0; i < 1000; i++) {
            lock.unlock();
            assertThat(lock.tryLock()).as("after " + i + " times").isTrue();
            assertThat(lock.currentLease().fencingToken()).isGreaterThan(token);
            token = lock.currentLease().fencingToken();
        }
        lock.unlock();
        soon().until(() -> !this.redis.exists(KEY) && this.instance.active() == 0);
    }
}

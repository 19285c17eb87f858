package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.ReleaseMode;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.metrics.MicrometerLockListener;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
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

    private final RedisServer server;

    private final Instance instance;

    BackgroundModeTest(FaultProxy proxy, RedisServer server, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        this.server = server;
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
    void shouldNotWaitForACommandThatIsStuckOnItsWay() throws Exception {
        LeaseLock lock = this.instance.lock("sent");
        lock.lock();
        Call<Boolean> next;
        try (Hold release = this.proxy.hold(Script.RELEASE.of(KEY))) {
            lock.unlock();
            release.awaitReached(LIMIT);
            assertThat(this.redis.exists(KEY)).isTrue();

            next = Call.start(() -> this.instance.lock("sent").tryLock(LONG));
            next.awaitParked();
        }

        assertThat(next.result()).as("what it asked came after the release").isTrue();
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

    @Test
    void shouldWakeTheNextInstance() throws Exception {
        Instance other = this.instances.at(this.server, BackgroundModeTest::patient);
        this.instance.lock("sent").lock();
        Call<Long> waiter = Call.start(() ->
                other.registry().execute(LockRequest.of("sent").withWaitTime(LONG), lease -> lease.fencingToken()));
        WaitingLine.awaitLength(this.redis, KEY, 1);
        long token = this.instance.lock("sent").currentLease().fencingToken();

        this.instance.lock("sent").unlock();

        assertThat(waiter.result()).isGreaterThan(token);
    }

    @Test
    void shouldTellALossThatTheReleaseFinds() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("sent"));
        this.redis.command("DEL", KEY);

        assertThat(lease.release()).as("nobody knows yet").isTrue();

        soon().until(() -> this.instance.events().count(LockReleasedEvent.class) == 1);
        assertThat(this.instance.events().all(LockLostEvent.class))
                .singleElement()
                .satisfies(event -> assertThat(event.reason()).isEqualTo(LossReason.DELETED));
        assertThat(this.instance.events().all(LockReleasedEvent.class).get(0).outcome())
                .isEqualTo(LockReleasedEvent.Outcome.LOST);
        assertThat(this.meters.get("distributed.lock.lost").counters())
                .as("only the one that happened")
                .allSatisfy(counter -> assertThat(counter.count())
                        .isEqualTo(counter.getId().getTag("reason").equalsIgnoreCase("deleted") ? 1 : 0));
        soon().until(() -> this.instance.active() == 0);
    }

    @Test
    void shouldTryAgainIfThereIsNoAnswer() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("sent"));
        this.proxy.swallowRequestOf(Script.RELEASE.of(KEY), this.proxy::cutRst);

        assertThat(lease.release()).isTrue();

        soon().until(() -> !this.redis.exists(KEY));
        assertThat(this.instance.events().count(LockLostEvent.class)).isZero();
    }
}

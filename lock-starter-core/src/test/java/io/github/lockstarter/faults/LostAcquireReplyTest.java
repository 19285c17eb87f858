package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An acquire that was executed, and whose reply never came. */
@RedisTest
class LostAcquireReplyTest {

    private static final String KEY = "lock:{lost}";

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    LostAcquireReplyTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
    }

    @BeforeEach
    void loadScripts() {
        Script.loadAll(this.redis);
    }

    @ParameterizedTest
    @EnumSource
    void shouldSayThatTheOutcomeIsUnknownAndTakeTheGrantBack(ConnectionEnd end) {
        Instance instance = this.instances.at(this.proxy, LostAcquireReplyTest::longLease);
        this.redis.command("CONFIG", "RESETSTAT");
        this.proxy.swallowReplyOf(Script.ACQUIRE, () -> end.of(this.proxy));

        LeaseLock lock = instance.lock("lost");
        LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);

        assertThat(failure.isOutcomeUnknown()).isTrue();
        assertThat(failure).hasMessageContaining("'lost'");
        assertThatTheGrantIsTakenBack(instance);
    }

    /** With a lease of half a minute, a key that is gone in a moment did not run out. */
    private void assertThatTheGrantIsTakenBack(Instance instance) {
        assertThat(this.redis.infoCommandStats().get("hset"))
                .as("it was executed")
                .isEqualTo(1);
        soon().until(() -> !this.redis.exists(KEY));
        assertThat(instance.active()).isZero();
        soon().untilAsserted(() -> assertThat(instance.events().all(LockNotAcquiredEvent.class))
                .extracting(LockNotAcquiredEvent::outcome)
                .containsExactly(Outcome.ERROR));
        assertThat(instance.lock("lost").getHoldCount()).isZero();
    }

    @Test
    void shouldNotRenewWhatItCannotTakeBack() {
        Instance instance = this.instances.at(this.proxy);
        this.redis.command("CONFIG", "RESETSTAT");
        this.proxy.swallowReplyOf(Script.ACQUIRE, this.proxy::blackHole);

        LeaseLock lock = instance.lock("lost");
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(lock::tryLock);

        assertThat(this.redis.exists(KEY)).as("nobody could take it back").isTrue();
        within(Duration.ofSeconds(2)).until(() -> !this.redis.exists(KEY));
        assertThat(this.proxy.commandsSeen(Script.RENEW)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void shouldAskAgainUnderTheSameIdWhileThereIsTime(ConnectionEnd end) throws Exception {
        Instance instance = this.instances.at(this.proxy, LostAcquireReplyTest::longLease);
        this.redis.command("CONFIG", "RESETSTAT");
        this.proxy.swallowReplyOf(Script.ACQUIRE, () -> end.of(this.proxy));

        LeaseLock lock = instance.lock("lost");
        assertThat(lock.tryLock(Duration.ofSeconds(8))).isTrue();

        assertThat(this.proxy.commandsSeen(Script.ACQUIRE)).isGreaterThan(1);
        assertThat(Script.ACQUIRE.idsSeen(this.proxy)).hasSize(1);
        assertThat(this.redis.infoCommandStats().get("hset")).as("granted once").isEqualTo(1);
        assertThat(this.redis.hgetall(KEY))
                .containsEntry("f", Long.toString(lock.currentLease().fencingToken()));
        lock.unlock();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    /** So long that nothing runs out in the time of a test. */
    private static Setup longLease(Setup setup) {
        return setup.lease(Duration.ofSeconds(30));
    }
}

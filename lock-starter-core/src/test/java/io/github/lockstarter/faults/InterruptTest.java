package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A thread that is interrupted, at each step on the way to a lock and back, leaves nothing behind in Redis. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class InterruptTest {

    private static final String KEY = "lock:{wanted}";

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final Instance instance;

    private final Instance other;

    InterruptTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.proxy = proxy;
        this.redis = redis;
        this.instance = this.instances.at(proxy, InterruptTest::patient);
        this.other = this.instances.at(server, InterruptTest::patient);
        Script.loadAll(redis);
        proxy.forgetCommands();
    }

    @Test
    void shouldEndTheCallBeforeItAsks() throws Exception {
        Call<Boolean> call = Call.start(() -> {
            Thread.currentThread().interrupt();
            return lock().tryLock(LIMIT);
        });

        assertThat(call.failure()).isInstanceOf(InterruptedException.class);
        assertThat(this.proxy.commandsSeen(Script.ACQUIRE)).isZero();
        assertThatNothingIsLeft();
    }

    @Test
    void shouldKeepTheFlagOfACallThatCannotBeInterrupted() throws Exception {
        Callable<Boolean> lockAndTellTheFlag = () -> {
            Thread.currentThread().interrupt();
            lock().lock();
            boolean flag = Thread.currentThread().isInterrupted();
            lock().unlock();
            return flag && Thread.currentThread().isInterrupted();
        };
        assertThat(Call.start(lockAndTellTheFlag).result()).isTrue();
        assertThatNothingIsLeft();
    }

    @Test
    void shouldTakeBackWhatWasGrantedMeanwhile() throws Exception {
        try (Hold reply = this.proxy.holdReply(Script.ACQUIRE)) {
            Call<Boolean> call = Call.start(() -> lock().tryLock(LIMIT));
            reply.awaitReached(LIMIT);
            assertThat(this.redis.exists(KEY)).isTrue();

            call.interrupt();

            assertThat(call.failure()).isInstanceOf(InterruptedException.class);
            soon().until(() -> !this.redis.exists(KEY));
        }
        assertThatNothingIsLeft();
    }

    @Test
    void shouldEndThePolling() throws Exception {
        assertThat(this.other.lock("wanted").tryLock()).isTrue();
        Call<Boolean> call = Call.start(() -> lock().tryLock(LIMIT));
        soon().until(() -> this.proxy.commandsSeen(Script.ACQUIRE) > 1);
        call.awaitParked();

        call.interrupt();

        assertThat(call.failure()).isInstanceOf(InterruptedException.class);
        assertThat(this.redis.exists(KEY)).as("still the other's").isTrue();
        this.other.lock("wanted").unlock();
        // Whoever gave up leaves the line in the background, and passes on what it is given until then.
        soon().until(() -> !this.redis.exists(KEY));
        soon().untilAsserted(() -> assertThat(this.instance.events().all(LockNotAcquiredEvent.class))
                .extracting(LockNotAcquiredEvent::outcome)
                .containsExactly(Outcome.INTERRUPTED));
        assertThatNothingIsLeft();
    }

    @Test
    void shouldNotEndARelease() throws Exception {
        Call<Boolean> call;
        try (Hold reply = this.proxy.holdReply(Script.RELEASE)) {
            call = Call.start(() -> {
                lock().lock();
                lock().unlock();
                return Thread.currentThread().isInterrupted();
            });
            reply.awaitReached(LIMIT);
            call.interrupt();
            soon().until(() -> this.proxy.commandsSeen(Script.RELEASE) > 1);
        }

        assertThat(call.result()).as("the flag is kept, and nothing is thrown").isTrue();
        assertThat(this.instance.events().count(LockLostEvent.class)).isZero();
        soon().untilAsserted(() -> assertThat(this.instance.events().all(LockReleasedEvent.class))
                .extracting(LockReleasedEvent::outcome)
                .as("it waited for an answer")
                .containsExactly(LockReleasedEvent.Outcome.RELEASED));
        assertThatNothingIsLeft();
    }

    @Test
    void shouldReleaseInAThreadThatWasInterruptedBefore() throws Exception {
        Call<Boolean> call = Call.start(() -> {
            lock().lock();
            Thread.currentThread().interrupt();
            lock().unlock();
            return Thread.currentThread().isInterrupted();
        });

        assertThat(call.result()).isTrue();
        assertThatNothingIsLeft();
    }

    /** A key that is gone did not run out, and no call ended by itself. */
    private static Setup patient(Setup setup) {
        return setup.lease(Duration.ofSeconds(30)).commandTimeout(Duration.ofSeconds(5));
    }

    private LeaseLock lock() {
        return this.instance.lock("wanted");
    }

    /** Neither in this JVM nor in Redis: another thread and another instance are granted the lock at once. */
    private void assertThatNothingIsLeft() throws Exception {
        assertThat(this.redis.exists(KEY)).isFalse();
        assertThat(this.instance.active()).isZero();
        assertThat(this.other.lock("wanted").tryLock()).isTrue();
        this.other.lock("wanted").unlock();
        assertThat(lock().tryLock()).isTrue();
        assertThat(lock().getHoldCount()).isEqualTo(1);
        lock().unlock();
        assertThat(this.redis.exists(KEY)).isFalse();
        assertThat(this.proxy.commandsSeen(Script.RENEW)).isZero();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock().unlock());
    }
}

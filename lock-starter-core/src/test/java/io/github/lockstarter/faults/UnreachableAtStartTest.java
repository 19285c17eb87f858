package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis cannot be reached when the application starts. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class UnreachableAtStartTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(400);

    /** For a busy machine. */
    private static final Duration SLACK = Duration.ofSeconds(1);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    UnreachableAtStartTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
    }

    @ParameterizedTest
    @EnumSource
    void shouldStartAndSayThatThereIsNoConnection(Outage outage) throws Exception {
        outage.begin(this.proxy);
        long startedAt = System.nanoTime();
        Instance instance = start();
        assertThat(since(startedAt)).isLessThan(Duration.ofSeconds(6));

        LeaseLock lock = instance.lock("early");
        long askedAt = System.nanoTime();
        LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);
        assertThat(since(askedAt)).isLessThan(COMMAND_TIMEOUT.plus(SLACK));
        assertThat(failure.isOutcomeUnknown()).as("nothing was sent").isFalse();
        assertThat(failure.isTransient()).isTrue();
        assertThat(failure).hasMessageContaining("'early'").hasMessageContaining("not connected");

        assertThatWorksWhenHealed(instance);
    }

    @ParameterizedTest
    @EnumSource
    void shouldGrantALockThatIsWaitedForWithoutALimitOnceThereIsAConnection(Outage outage) throws Exception {
        outage.begin(this.proxy);
        Instance instance = start();
        try (LogCapture log = new LogCapture()) {
            Call<Boolean> call = Call.start(() -> {
                instance.lock("early").lock();
                instance.lock("early").unlock();
                return true;
            });
            soon().until(() -> !log.with("'early' waits for its store").isEmpty());
            long since = System.nanoTime();
            soon().until(() -> since(since).toMillis() > 800);
            assertThat(call.isDone()).isFalse();

            this.proxy.heal();

            assertThat(call.result()).isTrue();
            assertThat(log.with("'early' waits for its store"))
                    .as("one line for many attempts")
                    .hasSize(1);
        }
    }

    private void assertThatWorksWhenHealed(Instance instance) throws InterruptedException {
        this.proxy.heal();
        assertThat(instance.lock("early").tryLock(LIMIT)).isTrue();
        assertThat(this.redis.exists("lock:{early}")).isTrue();
        instance.lock("early").unlock();
        assertThat(this.redis.exists("lock:{early}")).isFalse();
    }

    private Instance start() {
        return start(setup -> setup);
    }

    private Instance start(UnaryOperator<Setup> setup) {
        return this.instances.at(
                this.proxy, each -> setup.apply(each.unreachable().commandTimeout(COMMAND_TIMEOUT)));
    }

    private static Duration since(long nanoTime) {
        return Duration.ofNanos(System.nanoTime() - nanoTime);
    }
}

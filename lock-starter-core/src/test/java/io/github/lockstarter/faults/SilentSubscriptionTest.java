package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A subscription that Redis takes for alive, and that brings nothing, costs a waiter one poll interval. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class SilentSubscriptionTest {

    private static final String KEY = "lock:{silent}";

    private static final Duration POLL = Duration.ofMillis(1500);

    private static final Duration LONG = Duration.ofMinutes(1);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final Instance owner;

    SilentSubscriptionTest(FaultProxy proxy, RedisServer server, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        this.owner = this.instances.at(server, setup -> patient(setup).pollInterval(LONG));
    }

    private static Setup patient(Setup setup) {
        return setup.lease(LONG).pollInterval(POLL).commandTimeout(Duration.ofSeconds(5));
    }

    @Test
    void shouldCostAPollInterval() throws Exception {
        Instance deaf = this.instances.at(this.proxy, SilentSubscriptionTest::patient);
        for (int round = 0; round < 2; round++) {
            this.owner.lock("silent").lock();
            Call<Long> waiter = Call.start(() ->
                    deaf.registry().execute(LockRequest.of("silent").withWaitTime(LONG), lease -> System.nanoTime()));
            WaitingLine.awaitLength(this.redis, KEY, 1);
            assertThat(Channel.subscribers(this.redis)).isEqualTo(1);
            this.proxy.swallowMessages();
            long releasedAt = System.nanoTime();

            this.owner.lock("silent").unlock();

            assertThat(Duration.ofNanos(waiter.result() - releasedAt)).isLessThan(POLL.multipliedBy(2));
            soon().until(() -> !this.redis.exists(KEY));
        }
    }
}

package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Locks and the application's own work with Redis do not get into each other's way. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class ApplicationConnectionTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    ApplicationConnectionTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        Script.loadAll(redis);
    }

    @Test
    void shouldRenewWhileASlowCommandOccupiesTheApplicationsConnection() throws Exception {
        Instance instance = this.instances.at(this.proxy, Setup::calm);
        StringRedisTemplate application = new StringRedisTemplate(instance.connections());
        Lease lease = instance.registry().acquire(LockRequest.of("beside"));
        Call<String> slow;
        try (Hold reply = this.proxy.holdReply(Commands.named("get"))) {
            slow = Call.start(() -> String.valueOf(application.opsForValue().get("slow")));
            reply.awaitReached(LIMIT);

            soon().until(() -> instance.events().count(LockRenewedEvent.class) > 4);
            assertThat(slow.isDone()).isFalse();
        }

        assertThat(instance.events().count(LockAtRiskEvent.class)).isZero();
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(slow.result()).isEqualTo("null");
    }

    @Test
    void shouldLeaveTheApplicationsConnectionsOpen() {
        for (boolean ownConnection : new boolean[] {true, false}) {
            Instance instance =
                    this.instances.at(this.proxy, setup -> ownConnection ? setup : setup.sharedConnection());
            StringRedisTemplate application = new StringRedisTemplate(instance.connections());
            application.opsForValue().set("mine", "1");
            instance.lock("beside").lock();
            instance.lock("beside").unlock();

            instance.stop();

            assertThat(application.opsForValue().get("mine")).isEqualTo("1");
            assertThat(instance.connections().isRunning()).isTrue();
        }
    }

    /** Lettuce would send what it queued while it was disconnected; over our connection nothing is queued. */
    @Test
    void shouldSendNothingLaterThatWasRefused() {
        Instance instance = this.instances.at(this.proxy);
        this.proxy.refuse();
        this.proxy.cutRst();
        soon().untilAsserted(() -> assertThat(
                        catchThrowable(() -> instance.lock("refused").tryLock()))
                .hasMessageContaining("not connected"));
        this.proxy.forgetCommands();

        this.proxy.accept();

        soon().ignoreExceptions().until(() -> instance.lock("accepted").tryLock());
        assertThat(this.proxy.commandsSeen(Script.ACQUIRE.of("lock:{refused}"))).isZero();
        assertThat(this.redis.exists("lock:{refused}")).isFalse();
        instance.lock("accepted").unlock();
    }
}

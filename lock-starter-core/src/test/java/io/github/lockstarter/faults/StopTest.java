package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The registry stops, whatever Redis does, and can start again. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class StopTest {

    private static final String KEY = "lock:{stopped}";

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final RedisServer server;

    private final Instance instance;

    StopTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.proxy = proxy;
        this.redis = redis;
        this.server = server;
        this.instance = this.instances.at(proxy);
        Script.loadAll(redis);
    }

    @Test
    void shouldLeaveTheKeyOfWhatIsStillHeldToRunOut() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("stopped"));

        this.instance.stop();

        assertThat(lease.state()).isEqualTo(State.LOST);
        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS)).isEqualTo(LossReason.SHUTDOWN);
        assertThat(this.redis.exists(KEY))
                .as("nobody is let in beside a running body")
                .isTrue();
        this.proxy.forgetCommands();
        within(Duration.ofSeconds(3)).until(() -> !this.redis.exists(KEY));
        assertThat(this.proxy.commandsSeen(command -> true)).isZero();
        assertThat(lease.release()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotTakeLongWithoutRedis(Outage outage) throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("stopped"));
        outage.begin(this.proxy);
        Call<Boolean> waiter = Call.start(() -> this.instance.lock("wanted").tryLock(Duration.ofMinutes(1)));
        waiter.awaitParked();
        long since = System.nanoTime();

        this.instance.stop();

        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(4));
        assertThat(lease.isHeld()).isFalse();
        assertThat(waiter.failure()).isInstanceOf(LockException.class);
    }

    @ParameterizedTest
    @CsvSource({"hello, true", "hello, false", "subscribe, true", "subscribe, false"})
    @Tag("full")
    void shouldLeaveNoSubscriptionThatWasBeingMade(String command, boolean privateConnection) throws Exception {
        Instance stopping = this.instances.at(
                this.proxy,
                setup -> privateConnection ? setup.calm() : setup.calm().sharedConnection());
        Instance owner = this.instances.at(this.server, Setup::calm);
        assertThat(owner.lock("stopped").tryLock()).isTrue();
        try (Hold making = this.proxy.hold(Commands.named(command))) {
            Call<Boolean> waiter = Call.start(() -> stopping.lock("stopped").tryLock(LIMIT));
            making.awaitReached(LIMIT);

            stopping.stop();

            assertThat(waiter.failure()).isInstanceOf(LockException.class);
        }
        // longer than the connection takes that was underway
        within(Duration.ofSeconds(8)).during(Duration.ofSeconds(1)).until(() -> Channel.connections(this.redis) == 0);
        assertThat(Channel.subscribers(this.redis)).isZero();
    }
}

package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.registry.ReleaseMode;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Locks and the application's own work with Redis do not get into each other's way; scripts that Redis has forgotten
 * are sent again; and Sentinels that are down, need a password, or have been cut off.
 */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class ConnectionTest extends FaultFixture {

    private static final String MASTER = "cache";

    private final List<RedisServer> sentinels = new ArrayList<>();

    @AfterEach
    void close() {
        this.instances.close();
        this.sentinels.forEach(RedisServer::close);
    }

    @Test
    void shouldRenewWhileASlowCommandOccupiesTheApplicationsConnection() throws Exception {
        Instance instance = this.instances.at(this.proxy, Setup::calm);
        StringRedisTemplate application = new StringRedisTemplate(instance.connections());
        Lease lease = instance.registry().acquire(LockRequest.of("beside"));
        CompletableFuture<String> slow;
        try (Hold reply = this.proxy.holdReply(Commands.named("get"))) {
            slow = inThread(() -> String.valueOf(application.opsForValue().get("slow")));
            reply.awaitReached(LIMIT);

            soon().until(() -> instance.events().count(LockRenewedEvent.class) > 4);
            assertThat(slow.isDone()).isFalse();
        }

        assertThat(instance.events().count(LockAtRiskEvent.class)).isZero();
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(get(slow)).isEqualTo("null");
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

    /** In the background mode; the reply completes the release. */
    @Test
    void shouldNotWaitForTheAnswer() throws Exception {
        Instance instance = this.instances.at(
                this.proxy, setup -> longLease(setup).pollInterval(LONG).releaseMode(ReleaseMode.BACKGROUND));
        LeaseLock lock = instance.lock("sent");
        lock.lock();
        Lease lease = lock.currentLease();
        try (Hold answer = this.proxy.holdReply(Script.RELEASE.of("lock:{sent}"))) {
            lock.unlock();

            answer.awaitReached(LIMIT);
            assertThat(lease.isHeld()).isFalse();
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            assertThat(this.redis.exists("lock:{sent}"))
                    .as("and yet it is done")
                    .isFalse();
            assertThat(instance.active()).as("until the answer comes").isEqualTo(1);
        }
        soon().until(() -> instance.active() == 0);
        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
    }

    /** Commands over the connection of the application are not ordered, so that a release waits for its reply there. */
    @Test
    void shouldNotOvertakeItsOwnReleaseOverTheConnectionOfTheApplication() {
        Instance instance = this.instances.at(
                this.server, setup -> longLease(setup).sharedConnection().releaseMode(ReleaseMode.BACKGROUND));
        LeaseLock lock = instance.lock("again");

        for (int i = 0; i < 100; i++) {
            assertThat(lock.tryLock()).as("the next attempt").isTrue();
            lock.unlock();
        }
    }

    /** By a command, by a restart, by a failover. */
    @Test
    void shouldTeachRedisEachScript() {
        Instance instance = this.instances.at(this.proxy, Setup::calm);
        LeaseLock lock = instance.lock("flushed");
        this.redis.command("SCRIPT", "FLUSH");
        assertThat(lock.tryLock()).isTrue();
        this.redis.command("SCRIPT", "FLUSH");
        soon().until(() -> instance.events().count(LockRenewedEvent.class) > 0);
        this.redis.command("SCRIPT", "FLUSH");
        lock.unlock();

        assertThat(this.redis.exists("lock:{flushed}")).isFalse();
        soon().until(() -> instance.events().count(LockReleasedEvent.class) == 1);
        assertThat(instance.events().all())
                .hasOnlyElementsOfTypes(LockAcquiredEvent.class, LockRenewedEvent.class, LockReleasedEvent.class);
    }

    private RedisServer sentinelOf(RedisServer master, String... more) {
        RedisServer sentinel = RedisServer.startSentinel(
                "sentinel monitor " + MASTER + " 127.0.0.1 " + master.port() + " 2\n" + String.join("\n", more) + "\n");
        this.sentinels.add(sentinel);
        return sentinel;
    }

    private Instance behindSentinels(Consumer<RedisSentinelConfiguration> more) {
        RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(MASTER);
        this.sentinels.forEach(sentinel -> configuration.sentinel("127.0.0.1", sentinel.port()));
        more.accept(configuration);
        LettuceConnectionFactory factory = Servers.over(configuration);
        return this.instances.at(
                factory,
                setup -> setup.calm().commandTimeout(Duration.ofMillis(500)).unreachable());
    }

    /** The first in the list still names the old master: it was on that side when the network was cut. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldFollowTheNewestConfiguration(int newest) throws Exception {
        try (RedisServer old = RedisServer.start()) {
            sentinelOf(old, "sentinel config-epoch " + MASTER + " 3");
            for (int i = 0; i < newest; i++) {
                sentinelOf(this.server, "sentinel config-epoch " + MASTER + " 4");
            }
            Instance instance = behindSentinels(configuration -> {});

            try (Lease lease = instance.acquire("newest")) {
                assertThat(lease.isHeld()).as("lease at the master").isTrue();
                assertThat(this.redis.exists("lock:{newest}"))
                        .as("lock at the master of the newest configuration")
                        .isTrue();
            }
        }
    }

    @Test
    void shouldLogTheNewMasterThatSentinelsName() throws Exception {
        try (RedisServer next = RedisServer.start();
                LogCapture log = new LogCapture("io.github.lockstarter.store", Level.INFO)) {
            RedisServer sentinel = sentinelOf(this.server);
            Instance instance = behindSentinels(configuration -> {});
            instance.acquire("before").close();
            assertThat(log.with("new master"))
                    .as("lines about the first master")
                    .isEmpty();

            try (RedisCli cli = sentinel.cli()) {
                cli.command("SENTINEL", "REMOVE", MASTER);
                cli.command("SENTINEL", "MONITOR", MASTER, "127.0.0.1", Integer.toString(next.port()), "2");
            }

            soon().untilAsserted(() -> assertThat(log.with("new master"))
                    .as("lines about the new master")
                    .singleElement()
                    .asString()
                    .containsSubsequence("127.0.0.1:" + next.port(), "127.0.0.1:" + this.server.port()));
        }
    }

    /** Lettuce logs each failure to connect to a Sentinel for questions. */
    @Test
    void shouldLogOnceThatNoSentinelAnswers() {
        sentinelOf(this.server).kill();
        try (LogCapture client = new LogCapture("io.lettuce.core.RedisClient");
                LogCapture log = new LogCapture("io.github.lockstarter", Level.DEBUG)) {
            behindSentinels(configuration -> {});

            soon().until(() -> log.with("to connect to Redis Sentinel").size() >= 3);
            assertThat(log.with("Cannot connect to Redis Sentinel")).hasSize(1);
            assertThat(client.with("")).as("lines of the client").isEmpty();
        }
    }

    @Test
    void shouldNameThePropertyOfAPasswordThatIsMissing() throws Exception {
        sentinelOf(this.server, "requirepass secret");
        String address = "127.0.0.1:" + this.sentinels.get(0).port();
        try (LogCapture log = new LogCapture()) {
            behindSentinels(configuration -> {});

            soon().until(() -> !log.with("Cannot connect to").isEmpty());
            assertThat(log.with("Cannot connect to"))
                    .hasSize(1)
                    .first()
                    .asString()
                    // Lettuce may lose the reason: it closes the connection between two steps of the handshake.
                    .containsAnyOf("NOAUTH", "RedisHandshakeHandler not registered")
                    .contains("Redis Sentinel at " + address, MASTER, "spring.data.redis.sentinel.password")
                    .doesNotContain("spring.data.redis.username");
        }

        Instance permitted = behindSentinels(configuration -> configuration.setSentinelPassword("secret"));
        try (Lease lease = permitted.acquire("permitted")) {
            assertThat(lease.isHeld()).isTrue();
        }
    }
}

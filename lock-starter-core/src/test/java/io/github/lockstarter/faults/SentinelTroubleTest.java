package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Sentinels that are down, need a password, or have been cut off from the others. */
@RedisTest
class SentinelTroubleTest {

    private static final String MASTER = "cache";

    @AutoClose
    private final Instances instances = new Instances();

    private final List<RedisServer> sentinels = new ArrayList<>();

    private final RedisServer server;

    private final RedisCli redis;

    SentinelTroubleTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
    }

    @AfterEach
    void close() {
        this.instances.close();
        this.sentinels.forEach(RedisServer::close);
    }

    private RedisServer sentinelOf(RedisServer master, String... more) {
        RedisServer sentinel = RedisServer.startSentinel(
                "sentinel monitor " + MASTER + " 127.0.0.1 " + master.port() + " 2\n" + String.join("\n", more) + "\n");
        this.sentinels.add(sentinel);
        return sentinel;
    }

    private Instance instance(Consumer<RedisSentinelConfiguration> more) {
        RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(MASTER);
        this.sentinels.forEach(sentinel -> configuration.sentinel("127.0.0.1", sentinel.port()));
        more.accept(configuration);
        LettuceConnectionFactory factory = Servers.over(configuration);
        return this.instances.at(
                factory,
                setup -> setup.calm().commandTimeout(Duration.ofMillis(500)).unreachable());
    }

    /** The first in the list still names the old master: it was on that side when the network was cut. */
    @Test
    void shouldFollowTheNewestConfiguration() throws Exception {
        try (RedisServer old = RedisServer.start()) {
            sentinelOf(old, "sentinel config-epoch " + MASTER + " 3");
            sentinelOf(this.server, "sentinel config-epoch " + MASTER + " 4");
            sentinelOf(this.server, "sentinel config-epoch " + MASTER + " 4");
            Instance instance = instance(configuration -> {});

            try (Lease lease = instance.acquire("newest")) {
                assertThat(lease.isHeld()).isTrue();
                assertThat(this.redis.exists("lock:{newest}")).isTrue();
            }
        }
    }

    @Test
    void shouldNameThePropertyOfAPasswordThatIsMissing() throws Exception {
        sentinelOf(this.server, "requirepass secret");
        String address = "127.0.0.1:" + this.sentinels.get(0).port();
        try (LogCapture log = new LogCapture()) {
            instance(configuration -> {});

            soon().until(() -> !log.with("Cannot connect to").isEmpty());
            assertThat(log.with("Cannot connect to"))
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("Redis Sentinel at " + address, MASTER, "NOAUTH")
                    .contains("spring.data.redis.sentinel.password")
                    .doesNotContain("spring.data.redis.username");
        }

        Instance permitted = instance(configuration -> configuration.setSentinelPassword("secret"));
        try (Lease lease = permitted.acquire("permitted")) {
            assertThat(lease.isHeld()).isTrue();
        }
    }
}

package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.text.LoggedNames;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** How the connection of a store is opened and replaced. */
@RedisTest
@Timeout(120)
class PrivateConnectionTest implements StoreConnection.Listener {

    /** No ping fails because the machine is busy. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final FaultProxy proxy;

    private final AtomicInteger opened = new AtomicInteger();

    private PrivateConnection connection;

    PrivateConnectionTest(FaultProxy proxy) {
        this.proxy = proxy;
    }

    @AfterEach
    void stop() {
        this.proxy.heal();
        this.connection.stop();
    }

    private void start(LettuceConnectionFactory servers) {
        this.connection = new PrivateConnection(
                Objects.requireNonNull(DerivedFactory.of(servers, TIMEOUT)),
                new LockKeys("lock", LoggedNames.WITH_KEYS),
                new RedisStoreSettings("lock", TIMEOUT, true, Duration.ofSeconds(1)));
        this.connection.start(this);
    }

    private void startConnected() {
        start(Servers.at(this.proxy.host(), this.proxy.port()));
        soon().until(this.connection::isConnected);
    }

    @Override
    public void connected(RedisConnectionFactory factory) {
        this.opened.incrementAndGet();
    }

    @Override
    public void moved() {}

    @Override
    public void subscriptionLost(RedisConnectionFactory factory) {}

    /** A former master answers for as long as it runs. */
    @Test
    void shouldLeaveAServerThatIsNotTheMasterThoughTheFirstAttemptHasFailed() {
        startConnected();
        int before = this.opened.get();
        this.proxy.refuse();
        this.connection.findMaster();
        soon().until(() -> this.connection.connectFailure != null);

        this.proxy.accept();

        soon().untilAsserted(() -> assertThat(this.opened)
                .as("connections that were opened, though the one to the former master answers")
                .hasValueGreaterThan(before));
    }

    /** Otherwise the outcome of commands in flight over the new connection would be unknown. */
    @Test
    void shouldNotCountTheEndOfAConnectionThatItHasReplaced() {
        startConnected();
        int open = this.proxy.connections();
        int before = this.opened.get();

        this.connection.findMaster();

        soon().until(() -> this.opened.get() > before && this.proxy.connections() == open);
        assertThat(this.connection.disconnects)
                .as("connections that broke, while one was replaced")
                .hasValue(0);
    }

    /** Lettuce loses the reason if a connection ends between two steps of the handshake. */
    @Test
    void shouldReportTheLastFailureThatHasAReason() throws Exception {
        ClientResources resources = ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .nettyCustomizer(new WithoutHandshake())
                .build();
        try {
            this.proxy.refuse();
            start(new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration(this.proxy.host(), this.proxy.port()),
                    LettuceClientConfiguration.builder()
                            .clientResources(resources)
                            .shutdownTimeout(Duration.ZERO)
                            .build()));
            long accepted = this.proxy.connectionsAccepted();

            this.proxy.accept();

            // The second attempt follows the end of the first.
            soon().until(() -> this.proxy.connectionsAccepted() > accepted + 1);
            assertThat(this.connection.notConnected("lock 'a'"))
                    .as("failure of a command after an attempt without a reason")
                    .hasMessageContaining("Connection refused");
        } finally {
            this.connection.stop();
            resources.shutdown(0, 5, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
        }
    }

    /** Ends each handshake as the end of a connection does. */
    private static final class WithoutHandshake implements NettyCustomizer {

        @Override
        public void afterChannelInitialized(Channel channel) {
            channel.pipeline().toMap().values().stream()
                    .filter(handler -> handler.getClass().getSimpleName().equals("RedisHandshakeHandler"))
                    .forEach(channel.pipeline()::remove);
        }
    }
}

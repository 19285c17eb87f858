package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** The private connection leads to where the application's leads, with the application's options but for a few. */
class DerivedFactoryTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private static final Predicate<RedisCommand<?, ?, ?>> NO_REPLAY = Predicate.isEqual(null);

    private static final Predicate<RedisClusterNode> NODES = Predicate.not(Predicate.isEqual(null));

    private static LettuceConnectionFactory derive(RedisConfiguration servers, LettuceClientConfiguration client) {
        LettuceConnectionFactory derived = Objects.requireNonNull(
                        DerivedFactory.of(new LettuceConnectionFactory(servers, client), TIMEOUT))
                .create();
        // not connected, and what it was made of stays readable
        derived.destroy();
        return derived;
    }

    private static RedisConfiguration server() {
        return new RedisStandaloneConfiguration("elsewhere", 1234);
    }

    private static RedisConfiguration cluster() {
        RedisClusterConfiguration cluster = new RedisClusterConfiguration();
        cluster.addClusterNode(new RedisNode("elsewhere", 1234));
        return cluster;
    }

    private static ClientOptions optionsOf(LettuceConnectionFactory factory) {
        return factory.getClientConfiguration().getClientOptions().orElseThrow();
    }

    private static ClientOptions derivedOptions(RedisConfiguration servers, ClientOptions given) {
        return optionsOf(derive(
                servers,
                LettuceClientConfiguration.builder().clientOptions(given).build()));
    }

    private static void choose(ClientOptions.Builder options) {
        options.autoReconnect(false)
                .pingBeforeActivateConnection(false)
                .protocolVersion(ProtocolVersion.RESP2)
                .publishOnScheduler(true)
                .requestQueueSize(77)
                .suspendReconnectOnProtocolFailure(true)
                .sslOptions(SslOptions.builder().protocols("TLSv1.3").build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Duration.ofMillis(300))
                        .tcpNoDelay(false)
                        .keepAlive(true)
                        .build());
        options.replayFilter(NO_REPLAY);
        options.useHashIndexQueue(false);
    }

    private static void assertThatChoicesAreKept(ClientOptions options) {
        assertThat(options.isAutoReconnect()).isFalse();
        assertThat(options.isPingBeforeActivateConnection()).isFalse();
        assertThat(options.getConfiguredProtocolVersion()).isEqualTo(ProtocolVersion.RESP2);
        assertThat(options.isPublishOnScheduler()).isTrue();
        assertThat(options.getRequestQueueSize()).isEqualTo(77);
        assertThat(options.isSuspendReconnectOnProtocolFailure()).isTrue();
        assertThat(options.getSslOptions().getProtocols()).containsExactly("TLSv1.3");
        assertThat(options.getSocketOptions().getConnectTimeout()).isEqualTo(Duration.ofMillis(300));
        assertThat(options.getSocketOptions().isTcpNoDelay()).isFalse();
        assertThat(options.getSocketOptions().isKeepAlive()).isTrue();
        assertThat(options.getReplayFilter()).isSameAs(NO_REPLAY);
        assertThat(options.isUseHashIndexedQueue()).isFalse();
        assertThatOursAreSet(options);
    }

    private static void assertThatOursAreSet(ClientOptions options) {
        assertThat(options.getDisconnectedBehavior()).isEqualTo(DisconnectedBehavior.REJECT_COMMANDS);
        assertThat(options.getTimeoutOptions().isTimeoutCommands()).isFalse();
        assertThat(options.getSocketOptions().getConnectTimeout()).isLessThanOrEqualTo(TIMEOUT);
    }

    /** One of Spring's constructors keeps such a configuration where the obvious getter does not look. */
    @Test
    void shouldKnowTheServerHoweverItWasConfigured() {
        LettuceConnectionFactory derived = derive(server(), LettuceClientConfiguration.defaultConfiguration());

        assertThat(derived.getHostName()).isEqualTo("elsewhere");
        assertThat(derived.getPort()).isEqualTo(1234);
    }

    @Test
    void shouldKeepTheOptionsOfTheApplication() {
        ClientOptions.Builder given = ClientOptions.builder();
        choose(given);

        assertThatChoicesAreKept(derivedOptions(server(), given.build()));
    }

    @Test
    void shouldKeepTheOptionsOfTheApplicationInACluster() {
        ClusterClientOptions.Builder given = ClusterClientOptions.builder();
        choose(given);
        given.maxRedirects(9).validateClusterNodeMembership(false).nodeFilter(NODES);

        ClusterClientOptions options = (ClusterClientOptions) derivedOptions(cluster(), given.build());

        assertThatChoicesAreKept(options);
        assertThat(options.getMaxRedirects()).isEqualTo(9);
        assertThat(options.isValidateClusterNodeMembership()).isFalse();
        assertThat(options.getNodeFilter()).isSameAs(NODES);
    }

    @Test
    void shouldConnectAsTheApplicationDoes() {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("elsewhere", 1234);
        server.setDatabase(3);
        server.setUsername("shop");
        server.setPassword("secret");
        RedisCredentialsProviderFactory credentials = new RedisCredentialsProviderFactory() {};
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .useSsl()
                .verifyPeer(SslVerifyMode.CA)
                .startTls()
                .and()
                .clientName("orders")
                .redisCredentialsProviderFactory(credentials)
                .build();

        LettuceConnectionFactory derived = derive(server, client);

        assertThat(derived.getDatabase()).isEqualTo(3);
        assertThat(new DirectFieldAccessor(derived).getPropertyValue(DerivedFactory.CONFIGURATION))
                .as("with user and password")
                .isEqualTo(server);
        LettuceClientConfiguration how = derived.getClientConfiguration();
        assertThat(how.isUseSsl()).isTrue();
        assertThat(how.isStartTls()).isTrue();
        assertThat(how.getVerifyMode()).isEqualTo(SslVerifyMode.CA);
        assertThat(how.getClientName()).hasValue("orders:locks");
        assertThat(how.getRedisCredentialsProviderFactory()).containsSame(credentials);
        assertThat(how.getCommandTimeout()).isEqualTo(TIMEOUT);
    }

    @Test
    void shouldNameItsConnectionsIfTheApplicationDoesNot() {
        LettuceConnectionFactory derived = derive(server(), LettuceClientConfiguration.defaultConfiguration());

        assertThat(derived.getClientConfiguration().getClientName()).hasValue("distributed-locks");
    }

    /** What a replica answers may be old. */
    @Test
    void shouldNeverReadFromReplicas() {
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .readFrom(ReadFrom.REPLICA_PREFERRED)
                .build();

        assertThat(derive(cluster(), client).getClientConfiguration().getReadFrom())
                .isEmpty();
    }
}

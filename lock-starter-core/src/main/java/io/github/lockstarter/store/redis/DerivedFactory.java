package io.github.lockstarter.store.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions.RefreshTrigger;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Derives a Lettuce connection factory from the application's: same servers, credentials, TLS and client resources, but
 * short timeouts, and commands are rejected while there is no connection, for a queued one would be executed at a time
 * when nobody expects it any more.
 */
final class DerivedFactory {

    /**
     * A timer for each command costs more than the rest of the call. Who waits for an answer gives up by itself, and what
     * nobody waits for has a time limit of its own, see {@link ScriptCalls}.
     */
    private static final TimeoutOptions WITHOUT_TIMER = TimeoutOptions.create();

    /** Field of the connection factory that no getter tells. */
    static final String CONFIGURATION = "configuration";

    /** As whom Redis takes who names no user. */
    private static final String DEFAULT = "default";

    private final LettuceConnectionFactory original;

    private final RedisConfiguration servers;

    private final Duration timeout;

    private DerivedFactory(LettuceConnectionFactory original, RedisConfiguration servers, Duration timeout) {
        this.original = original;
        this.servers = servers;
        this.timeout = timeout;
    }

    /** The recipe for such a factory; null if that one is not of a kind from which one can be derived. */
    static @Nullable DerivedFactory of(RedisConnectionFactory factory, Duration timeout) {
        if (!(factory instanceof LettuceConnectionFactory lettuce) || isStaticMasterReplica(lettuce)) {
            return null;
        }
        RedisConfiguration servers = serversOf(lettuce);
        return servers != null ? new DerivedFactory(lettuce, servers, timeout) : null;
    }

    private static @Nullable RedisConfiguration serversOf(LettuceConnectionFactory lettuce) {
        if (lettuce.isClusterAware()) {
            return lettuce.getClusterConfiguration();
        }
        if (lettuce.isRedisSentinelAware()) {
            return lettuce.getSentinelConfiguration();
        }
        // The getter of the standalone configuration knows nothing of one that was given as a RedisConfiguration.
        return (RedisConfiguration) new DirectFieldAccessor(lettuce).getPropertyValue(CONFIGURATION);
    }

    /** No getter tells; the standalone configuration of such a factory names a server that nobody configured. */
    private static boolean isStaticMasterReplica(LettuceConnectionFactory lettuce) {
        Object configuration = new DirectFieldAccessor(lettuce).getPropertyValue(CONFIGURATION);
        return configuration instanceof RedisStaticMasterReplicaConfiguration;
    }

    boolean isCluster() {
        return this.original.isClusterAware();
    }

    /** A new factory, ready to connect; the caller destroys it. */
    LettuceConnectionFactory create() {
        LettuceConnectionFactory derived = new LettuceConnectionFactory(this.servers, clientConfiguration());
        derived.setValidateConnection(false);
        derived.afterPropertiesSet();
        derived.start();
        return derived;
    }

    private LettuceClientConfiguration clientConfiguration() {
        LettuceClientConfiguration client = this.original.getClientConfiguration();
        LettuceClientConfiguration.LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
                .commandTimeout(this.timeout)
                .shutdownTimeout(client.getShutdownTimeout())
                .shutdownQuietPeriod(client.getShutdownQuietPeriod())
                .clientOptions(clientOptions(client));
        client.getClientName().ifPresent(builder::clientName);
        client.getClientResources().ifPresent(builder::clientResources);
        client.getRedisCredentialsProviderFactory().ifPresent(builder::redisCredentialsProviderFactory);
        if (client.isUseSsl()) {
            LettuceClientConfiguration.LettuceSslClientConfigurationBuilder ssl =
                    builder.useSsl().verifyPeer(client.getVerifyMode());
            if (client.isStartTls()) {
                ssl.startTls();
            }
        }
        return builder.build();
    }

    private ClientOptions clientOptions(LettuceClientConfiguration client) {
        ClientOptions given = client.getClientOptions().orElseGet(ClientOptions::create);
        SocketOptions socket = given.getSocketOptions();
        Duration connectTimeout =
                socket.getConnectTimeout().compareTo(this.timeout) < 0 ? socket.getConnectTimeout() : this.timeout;
        if (isCluster()) {
            ClusterClientOptions cluster =
                    given instanceof ClusterClientOptions options ? options : ClusterClientOptions.create();
            return cluster.mutate()
                    .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                    .socketOptions(
                            socket.mutate().connectTimeout(connectTimeout).build())
                    .timeoutOptions(WITHOUT_TIMER)
                    .topologyRefreshOptions(refreshing(cluster))
                    .build();
        }
        return given.mutate()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(socket.mutate().connectTimeout(connectTimeout).build())
                .timeoutOptions(WITHOUT_TIMER)
                .build();
    }

    /** Off by default, but a lock that never learns of a failover is renewed at the wrong node until it is lost. */
    @SuppressWarnings("deprecation") // the default from Lettuce 7 on, not before
    private static ClusterTopologyRefreshOptions refreshing(ClusterClientOptions options) {
        ClusterTopologyRefreshOptions given = options.getTopologyRefreshOptions();
        return given != null && !given.getAdaptiveRefreshTriggers().isEmpty()
                ? given
                : ClusterTopologyRefreshOptions.builder()
                        .enableAdaptiveRefreshTrigger(RefreshTrigger.values())
                        .adaptiveRefreshTriggersTimeout(Duration.ofSeconds(1))
                        .enablePeriodicRefresh(Duration.ofSeconds(10))
                        .build();
    }

    /** The name under which it logs in. */
    String user() {
        return Objects.requireNonNullElse(RedisConfiguration.getUsernameOrElse(this.servers, () -> DEFAULT), DEFAULT);
    }

    /** Which servers, without credentials. */
    String servers() {
        if (this.original.isClusterAware()) {
            return "Redis Cluster";
        }
        if (this.original.isRedisSentinelAware()) {
            return "Redis Sentinel";
        }
        return this.original.getSocketConfiguration() != null
                ? "Redis at a Unix socket"
                : "Redis at " + this.original.getHostName() + ':' + this.original.getPort();
    }
}

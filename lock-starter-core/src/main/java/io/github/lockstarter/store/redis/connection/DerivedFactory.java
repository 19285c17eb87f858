package io.github.lockstarter.store.redis.connection;

import io.lettuce.core.ClientOptions;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Derives Lettuce connection factories from the application's: same servers, credentials, TLS and client resources, but
 * short timeouts, and client options that {@link DerivedOptions} adapts. The application's factory is not changed.
 */
public final class DerivedFactory {

    /**
     * Name of the field of {@link LettuceConnectionFactory} with its configuration, which has no getter for all kinds.
     */
    public static final String CONFIGURATION = "configuration";

    /** User as whom Redis authenticates clients that name none. */
    private static final String DEFAULT_USER = "default";

    private final LettuceConnectionFactory original;

    private final RedisConfiguration servers;

    private final Duration timeout;

    private final boolean reconnecting;

    private DerivedFactory(
            LettuceConnectionFactory original, RedisConfiguration servers, Duration timeout, boolean reconnecting) {
        this.original = original;
        this.servers = servers;
        this.timeout = timeout;
        this.reconnecting = reconnecting;
    }

    /**
     * Returns the recipe for such factories; null if none can be derived from this kind of factory.
     *
     * @param timeout how long connecting and a command may take
     */
    public static @Nullable DerivedFactory of(RedisConnectionFactory factory, Duration timeout) {
        if (!(factory instanceof LettuceConnectionFactory lettuce) || isStaticMasterReplica(lettuce)) {
            return null;
        }
        RedisConfiguration servers = serversOf(lettuce);
        return servers != null ? new DerivedFactory(lettuce, servers, timeout, true) : null;
    }

    private static @Nullable RedisConfiguration serversOf(LettuceConnectionFactory lettuce) {
        if (lettuce.isClusterAware()) {
            return lettuce.getClusterConfiguration();
        }
        if (lettuce.isRedisSentinelAware()) {
            return lettuce.getSentinelConfiguration();
        }
        // getStandaloneConfiguration() ignores a configuration that was passed as a RedisConfiguration.
        return (RedisConfiguration) new DirectFieldAccessor(lettuce).getPropertyValue(CONFIGURATION);
    }

    /**
     * Reads the field: there is no getter, and the standalone configuration of such a factory names an unrelated
     * server.
     */
    private static boolean isStaticMasterReplica(LettuceConnectionFactory lettuce) {
        Object configuration = new DirectFieldAccessor(lettuce).getPropertyValue(CONFIGURATION);
        return configuration instanceof RedisStaticMasterReplicaConfiguration;
    }

    /** Returns this recipe with connections that end for good when they break. */
    public DerivedFactory withoutReconnection() {
        return new DerivedFactory(this.original, this.servers, this.timeout, false);
    }

    /** Returns the recipe for one node of the cluster, as if it were a standalone server, with the same credentials. */
    public DerivedFactory ofNode(String host, int port) {
        RedisStandaloneConfiguration node = new RedisStandaloneConfiguration(host, port);
        node.setUsername(RedisConfiguration.getUsernameOrElse(this.servers, () -> null));
        node.setPassword(RedisConfiguration.getPasswordOrElse(this.servers, RedisPassword::none));
        return new DerivedFactory(this.original, node, this.timeout, this.reconnecting);
    }

    /** Returns whether the servers are a cluster. */
    public boolean isCluster() {
        return RedisConfiguration.isClusterConfiguration(this.servers);
    }

    /** Returns whether Sentinel names the master. */
    public boolean isSentinel() {
        return RedisConfiguration.isSentinelConfiguration(this.servers);
    }

    /** Returns a new factory that is ready to connect; the caller destroys it. */
    public LettuceConnectionFactory create() {
        LettuceConnectionFactory derived = new LettuceConnectionFactory(this.servers, clientConfiguration());
        derived.setValidateConnection(false);
        derived.afterPropertiesSet();
        derived.start();
        return derived;
    }

    /**
     * Copies how to connect, but not the pool, because all threads share one connection, and not the preference for
     * replicas: their replies may be outdated, while the scripts run on the master.
     */
    private LettuceClientConfiguration clientConfiguration() {
        LettuceClientConfiguration client = this.original.getClientConfiguration();
        LettuceClientConfiguration.LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
                .commandTimeout(this.timeout)
                .shutdownTimeout(client.getShutdownTimeout())
                .shutdownQuietPeriod(client.getShutdownQuietPeriod())
                .clientOptions(clientOptions());
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

    private ClientOptions clientOptions() {
        ClientOptions given =
                this.original.getClientConfiguration().getClientOptions().orElseGet(ClientOptions::create);
        ClientOptions options = DerivedOptions.of(given, isCluster(), this.timeout);
        return this.reconnecting
                ? options
                : options.mutate().autoReconnect(false).build();
    }

    /** Returns the user name, {@code default} if none is configured. */
    String user() {
        return Objects.requireNonNullElse(
                RedisConfiguration.getUsernameOrElse(this.servers, () -> DEFAULT_USER), DEFAULT_USER);
    }

    /** Returns the database that is selected after connecting. */
    int database() {
        return RedisConfiguration.getDatabaseOrElse(this.servers, () -> 0);
    }

    /** Returns the servers as messages name them, without credentials. */
    public String servers() {
        if (isCluster()) {
            return "Redis Cluster";
        }
        if (isSentinel()) {
            return "Redis Sentinel";
        }
        return RedisConfiguration.isDomainSocketConfiguration(this.servers)
                ? "Redis at a Unix socket"
                : "Redis at "
                        + RedisConfiguration.getHostOrElse(this.servers, this.original::getHostName)
                        + ':'
                        + RedisConfiguration.getPortOrElse(this.servers, this.original::getPort);
    }
}

package io.github.lockstarter.store.redis;

import io.lettuce.core.ClientOptions;
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
 * short timeouts, and client options of which {@link DerivedOptions} changes a few.
 */
final class DerivedFactory {

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

    /**
     * Copies what decides how to connect. Not copied are the pool, as one connection is shared by all threads, and the
     * preference for replicas: their answers may be old, and questions about locks must not get other answers than the
     * scripts, which write and therefore run on the master.
     */
    private LettuceClientConfiguration clientConfiguration() {
        LettuceClientConfiguration client = this.original.getClientConfiguration();
        ClientOptions options = client.getClientOptions().orElseGet(ClientOptions::create);
        LettuceClientConfiguration.LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
                .commandTimeout(this.timeout)
                .shutdownTimeout(client.getShutdownTimeout())
                .shutdownQuietPeriod(client.getShutdownQuietPeriod())
                .clientOptions(DerivedOptions.of(options, isCluster(), this.timeout));
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

    /** The name under which it logs in. */
    String user() {
        return Objects.requireNonNullElse(RedisConfiguration.getUsernameOrElse(this.servers, () -> DEFAULT), DEFAULT);
    }

    /** The database that it selects. */
    int database() {
        return RedisConfiguration.getDatabaseOrElse(this.servers, () -> 0);
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

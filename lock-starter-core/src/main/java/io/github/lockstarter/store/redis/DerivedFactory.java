package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockInventory.Server;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.ClusterCommandExecutor;
import org.springframework.data.redis.connection.ClusterTopologyProvider;
import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClusterConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * Derives Lettuce connection factories from the application's: same servers, credentials and TLS, but short timeouts,
 * client options adapted as below, and separate event loops. The application's factory is not changed.
 */
final class DerivedFactory {

    /**
     * Name of the field of {@link LettuceConnectionFactory} with its configuration, which has no getter for all kinds.
     */
    static final String CONFIGURATION = "configuration";

    /**
     * Disables Lettuce's timer for each command, which costs more than the rest of a call. Blocked threads time out by
     * themselves, and replies without a blocked thread have their own timeout, see {@link ReplyTimeouts}.
     */
    private static final TimeoutOptions WITHOUT_TIMER = TimeoutOptions.create();

    /** Ends a dead connection after about a minute. Load balancers forget one that is idle after some minutes. */
    private static final SocketOptions.KeepAliveOptions KEEP_ALIVE = SocketOptions.KeepAliveOptions.builder()
            .enable()
            .idle(Duration.ofSeconds(30))
            .interval(Duration.ofSeconds(10))
            .count(3)
            .build();

    private static final Duration MAX_PERIOD = Duration.ofSeconds(10);

    /** Shortest time between two refreshes of the topology that a trigger causes. */
    private static final Duration TRIGGERS_TIMEOUT = Duration.ofSeconds(1);

    /** User as whom Redis authenticates clients that name none. */
    private static final String DEFAULT_USER = "default";

    private final LettuceConnectionFactory original;

    private final RedisConfiguration servers;

    private final Duration timeout;

    /** How long connecting may take, and then the handshake. */
    private final Duration connectTimeout;

    /** Those of all connections of this recipe, and of the recipes that are derived from it. */
    final OwnEventLoops eventLoops;

    private DerivedFactory(
            LettuceConnectionFactory original,
            RedisConfiguration servers,
            Duration timeout,
            Duration connectTimeout,
            OwnEventLoops eventLoops) {
        this.original = original;
        this.servers = servers;
        this.timeout = timeout;
        this.connectTimeout = connectTimeout;
        this.eventLoops = eventLoops;
    }

    /**
     * Returns the recipe for such factories, or {@code null} if none can be derived from this kind of factory.
     *
     * @param timeout how long connecting and a command may take
     */
    static @Nullable DerivedFactory of(RedisConnectionFactory factory, Duration timeout) {
        if (!(targetOf(factory) instanceof LettuceConnectionFactory lettuce)) {
            return null;
        }
        // The getters ignore a configuration that was passed as a RedisConfiguration, and name an unrelated server for
        // a
        // static master with replicas.
        Object servers = new DirectFieldAccessor(lettuce).getPropertyValue(CONFIGURATION);
        return servers instanceof RedisConfiguration known
                        && !(servers instanceof RedisStaticMasterReplicaConfiguration)
                ? new DerivedFactory(lettuce, known, timeout, timeout, new OwnEventLoops(lettuce))
                : null;
    }

    /** Returns the factory behind the proxies of Spring, because a proxy has no configuration. */
    static RedisConnectionFactory targetOf(RedisConnectionFactory factory) {
        Object target = factory instanceof ScopedObject scoped
                ? scoped.getTargetObject()
                : AopProxyUtils.getSingletonTarget(factory);
        return target instanceof RedisConnectionFactory behind ? targetOf(behind) : factory;
    }

    /**
     * Returns the recipe for the master that Sentinel names, as if it were a standalone server, with the same
     * credentials.
     */
    DerivedFactory ofNode(RedisNode master) {
        // RedisNode.getRequiredHost() is missing in Spring Data Redis 3.5.
        RedisStandaloneConfiguration node = new RedisStandaloneConfiguration(
                Objects.requireNonNull(master.getHost()), Objects.requireNonNull(master.getPort()));
        node.setUsername(RedisConfiguration.getUsernameOrElse(this.servers, () -> null));
        node.setPassword(RedisConfiguration.getPasswordOrElse(this.servers, RedisPassword::none));
        node.setDatabase(database());
        return new DerivedFactory(this.original, node, this.timeout, this.connectTimeout, this.eventLoops);
    }

    /** Returns this recipe with another limit for connecting and for the handshake. Commands keep theirs. */
    DerivedFactory connectingWithin(Duration limit) {
        return new DerivedFactory(this.original, this.servers, this.timeout, limit, this.eventLoops);
    }

    /** Returns whether the servers are a cluster. */
    boolean isCluster() {
        return RedisConfiguration.isClusterConfiguration(this.servers);
    }

    /** Returns whether Sentinel names the master. */
    boolean isSentinel() {
        return RedisConfiguration.isSentinelConfiguration(this.servers);
    }

    /** Returns a new factory that is ready to connect; the caller destroys it. */
    LettuceConnectionFactory create() {
        LettuceConnectionFactory derived = this.connectTimeout.equals(this.timeout)
                ? new LettuceConnectionFactory(this.servers, clientConfiguration())
                : new PatientFactory(this.servers, clientConfiguration(), this.timeout);
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
                .commandTimeout(this.connectTimeout)
                .shutdownTimeout(client.getShutdownTimeout())
                .shutdownQuietPeriod(client.getShutdownQuietPeriod())
                .clientOptions(clientOptions());
        builder.clientName(clientName()).clientResources(this.eventLoops.resources());
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

    /**
     * Adapts the application's options to locks: commands are rejected while there is no connection, because a queued
     * one would be executed after its caller has given up; connecting takes a limited time; and the topology of a
     * cluster is refreshed often enough.
     */
    private ClientOptions clientOptions() {
        ClientOptions given =
                this.original.getClientConfiguration().getClientOptions().orElseGet(ClientOptions::create);
        ClientOptions.Builder options = isCluster() ? clusterOptions(given) : given.mutate();
        return options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(socketOptions(given.getSocketOptions()))
                .timeoutOptions(WITHOUT_TIMER)
                // mutate() does not copy these two in all versions of Lettuce.
                .replayFilter(given.getReplayFilter())
                .useHashIndexQueue(given.isUseHashIndexedQueue())
                .build();
    }

    /**
     * Limits the time to connect, and has the operating system notice a connection that a load balancer has forgotten,
     * unless the application has set an idle time of its own.
     */
    private SocketOptions socketOptions(SocketOptions given) {
        SocketOptions.Builder socket = given.mutate();
        if (given.getConnectTimeout().compareTo(this.connectTimeout) >= 0) {
            socket.connectTimeout(this.connectTimeout);
        }
        boolean isChosen = given.isKeepAlive()
                && !given.getKeepAlive().getIdle().equals(SocketOptions.KeepAliveOptions.DEFAULT_IDLE);
        if (!isChosen) {
            socket.keepAlive(KEEP_ALIVE);
        }
        return socket.build();
    }

    @SuppressWarnings("deprecation") // Lettuce 6 has no other method that enables triggers
    private ClientOptions.Builder clusterOptions(ClientOptions given) {
        ClusterClientOptions options = given instanceof ClusterClientOptions its
                ? its
                : ClusterClientOptions.builder(given).build();
        ClusterTopologyRefreshOptions chosen = options.getTopologyRefreshOptions();
        // All triggers: without a refresh after a failover, a lock is renewed at the wrong node until it is lost.
        ClusterTopologyRefreshOptions.Builder refresh = ClusterTopologyRefreshOptions.builder()
                .enableAllAdaptiveRefreshTriggers()
                .adaptiveRefreshTriggersTimeout(
                        chosen.getAdaptiveRefreshTriggers().isEmpty()
                                ? TRIGGERS_TIMEOUT
                                : chosen.getAdaptiveRefreshTimeout())
                .refreshTriggersReconnectAttempts(chosen.getRefreshTriggersReconnectAttempts())
                .enablePeriodicRefresh(
                        chosen.isPeriodicRefreshEnabled() ? chosen.getRefreshPeriod() : refreshPeriod(this.timeout))
                .dynamicRefreshSources(chosen.useDynamicRefreshSources())
                .closeStaleConnections(chosen.isCloseStaleConnections());
        return options.mutate().topologyRefreshOptions(refresh.build());
    }

    /** Returns how often to ask for the master, or the topology: about once in a renewal interval by default. */
    static Duration refreshPeriod(Duration timeout) {
        Duration period = timeout.multipliedBy(2);
        return period.compareTo(MAX_PERIOD) < 0 ? period : MAX_PERIOD;
    }

    /** Returns the name of the connections in {@code CLIENT LIST}. Lettuce connects even if the server refuses it. */
    private String clientName() {
        return this.original
                .getClientConfiguration()
                .getClientName()
                .map(name -> name + ":locks")
                .orElse("distributed-locks");
    }

    /** Returns a client for connections that end for good when they break; the caller shuts it down. */
    RedisClient clientWithoutReconnection() {
        RedisClient client = RedisClient.create(this.eventLoops.resources());
        client.setOptions(clientOptions().mutate().autoReconnect(false).build());
        return client;
    }

    /** Returns how to connect to one of the servers, or to the only one. */
    RedisURI uriOf(String host, int port) {
        RedisURI.Builder uri = this.servers instanceof RedisConfiguration.DomainSocketConfiguration socket
                ? RedisURI.Builder.socket(socket.getSocket())
                : RedisURI.Builder.redis(host, port);
        RedisPassword password = RedisConfiguration.getPasswordOrElse(this.servers, RedisPassword::none);
        authenticate(uri, RedisConfiguration.getUsernameOrElse(this.servers, () -> null), password);
        credentials().ifPresent(factory -> uri.withAuthentication(factory.createCredentialsProvider(this.servers)));
        return uri.withDatabase(database()).build();
    }

    /** Returns how to connect to each Sentinel, in the order of the configuration. */
    List<RedisURI> sentinels() {
        RedisSentinelConfiguration sentinel = (RedisSentinelConfiguration) this.servers;
        return sentinel.getSentinels().stream()
                .map(node -> sentinelUri(sentinel, node))
                .toList();
    }

    private RedisURI sentinelUri(RedisSentinelConfiguration sentinel, RedisNode node) {
        RedisURI.Builder uri =
                RedisURI.Builder.redis(Objects.requireNonNull(node.getHost()), Objects.requireNonNull(node.getPort()));
        authenticate(uri, sentinel.getSentinelUsername(), sentinel.getSentinelPassword());
        credentials().ifPresent(factory -> uri.withAuthentication(factory.createSentinelCredentialsProvider(sentinel)));
        return uri.build();
    }

    private void authenticate(RedisURI.Builder uri, @Nullable String user, RedisPassword password) {
        LettuceClientConfiguration client = this.original.getClientConfiguration();
        uri.withSsl(client.isUseSsl())
                .withVerifyPeer(client.getVerifyMode())
                .withStartTls(client.isStartTls())
                .withTimeout(this.connectTimeout)
                .withClientName(clientName());
        if (user != null && !user.isEmpty()) {
            uri.withAuthentication(user, password.toOptional().orElseGet(() -> new char[0]));
        } else {
            password.toOptional().ifPresent(uri::withPassword);
        }
    }

    private Optional<RedisCredentialsProviderFactory> credentials() {
        return this.original.getClientConfiguration().getRedisCredentialsProviderFactory();
    }

    /** Returns the name of the master in the configuration of the Sentinels. */
    String masterName() {
        NamedNode master = ((RedisSentinelConfiguration) this.servers).getMaster();
        return Objects.requireNonNull(Objects.requireNonNull(master).getName());
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

    /** Returns the server as it is configured, whose product is not known. */
    Server server() {
        return new Server(
                null, null, isCluster() ? "cluster" : isSentinel() ? "sentinel" : "standalone", database(), null);
    }

    /** Returns the servers as messages name them, without credentials. */
    String servers() {
        if (this.servers instanceof RedisConfiguration.ClusterConfiguration cluster) {
            return "Redis Cluster at " + addresses(cluster.getClusterNodes());
        }
        if (isSentinel()) {
            return "Redis Sentinel at " + sentinelAddresses() + " (master '" + masterName() + "', database "
                    + database() + ')';
        }
        String server = RedisConfiguration.isDomainSocketConfiguration(this.servers)
                ? "a Unix socket"
                : RedisConfiguration.getHostOrElse(this.servers, this.original::getHostName)
                        + ':'
                        + RedisConfiguration.getPortOrElse(this.servers, this.original::getPort);
        return "Redis at " + server + " (database " + database() + ')';
    }

    String sentinelAddresses() {
        return addresses(((RedisSentinelConfiguration) this.servers).getSentinels());
    }

    private static String addresses(Collection<RedisNode> nodes) {
        return nodes.stream().map(RedisNode::asString).collect(Collectors.joining(", "));
    }

    /** Spring Data has one timeout for the handshake and for commands, so that commands get theirs here. */
    private static final class PatientFactory extends LettuceConnectionFactory {

        private final Duration timeout;

        PatientFactory(RedisConfiguration servers, LettuceClientConfiguration client, Duration timeout) {
            super(servers, client);
            this.timeout = timeout;
        }

        @Override
        public long getTimeout() {
            return this.timeout.toMillis();
        }

        @Override
        protected LettuceClusterConnection doCreateLettuceClusterConnection(
                @Nullable StatefulRedisClusterConnection<byte[], byte[]> connection,
                LettuceConnectionProvider provider,
                ClusterTopologyProvider topology,
                ClusterCommandExecutor executor,
                Duration unused) {
            return super.doCreateLettuceClusterConnection(connection, provider, topology, executor, this.timeout);
        }
    }
}

package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions.RefreshTrigger;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.support.DelegatingIntroductionInterceptor;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.util.ReflectionUtils;

/** The private connection leads to where the application's leads, with the application's options but for a few. */
@Timeout(120)
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

    /** By an aspect on all beans, or as a bean of a scope that is refreshed. */
    static Stream<RedisConnectionFactory> proxies() {
        LettuceConnectionFactory target = new LettuceConnectionFactory((RedisStandaloneConfiguration) server());
        ProxyFactory byInterface = new ProxyFactory(target);
        ProxyFactory byClass = new ProxyFactory(target);
        byClass.setProxyTargetClass(true);
        ProxyFactory twice = new ProxyFactory(byInterface.getProxy());
        ProxyFactory scoped =
                new ProxyFactory(RedisConnectionFactory.class, (MethodInterceptor) MethodInvocation::proceed);
        scoped.setTargetSource(new HotSwappableTargetSource(target));
        scoped.addAdvice(new DelegatingIntroductionInterceptor((ScopedObject) new ScopedObject() {

            @Override
            public Object getTargetObject() {
                return target;
            }

            @Override
            public void removeFromScope() {}
        }));
        return Stream.of(byInterface, byClass, twice, scoped).map(proxy -> (RedisConnectionFactory) proxy.getProxy());
    }

    @ParameterizedTest
    @MethodSource("proxies")
    void shouldLeadWhereTheTargetOfAProxyLeads(RedisConnectionFactory proxy) {
        DerivedFactory recipe = DerivedFactory.of(proxy, TIMEOUT);

        assertThat(recipe).as("recipe for a private connection").isNotNull();
        assertThat(recipe.servers()).isEqualTo("Redis at elsewhere:1234 (database 0)");
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
        assertThat(options.getDisconnectedBehavior()).isEqualTo(DisconnectedBehavior.REJECT_COMMANDS);
        assertThat(options.getTimeoutOptions().isTimeoutCommands()).isFalse();
    }

    @Test
    void shouldKeepTheOptionsOfTheApplication() {
        ClientOptions.Builder ofServer = ClientOptions.builder();
        choose(ofServer);
        ClusterClientOptions.Builder ofCluster = ClusterClientOptions.builder();
        choose(ofCluster);
        ofCluster.maxRedirects(9).validateClusterNodeMembership(false).nodeFilter(NODES);

        assertThatChoicesAreKept(derivedOptions(server(), ofServer.build()));
        ClusterClientOptions options = (ClusterClientOptions) derivedOptions(cluster(), ofCluster.build());
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

    /**
     * Replies of replicas may be outdated. One of Spring's constructors keeps the server where the getter does not
     * look.
     */
    @Test
    void shouldConnectToTheSameServersButNeverToReadFromReplicas() {
        LettuceConnectionFactory derived = derive(
                server(),
                LettuceClientConfiguration.builder()
                        .readFrom(ReadFrom.REPLICA_PREFERRED)
                        .build());

        assertThat(derived.getHostName()).isEqualTo("elsewhere");
        assertThat(derived.getPort()).isEqualTo(1234);
        assertThat(derived.getClientConfiguration().getReadFrom()).isEmpty();
        assertThat(derived.getClientConfiguration().getClientName()).hasValue("distributed-locks");
        assertThat(optionsOf(derived).getSocketOptions().isKeepAlive())
                .as("the operating system checks the connection")
                .isTrue();
        assertThat(optionsOf(derived).getSocketOptions().getKeepAlive().getIdle())
                .as("idle time before it does")
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(optionsOf(derived).getSocketOptions().getConnectTimeout()).isEqualTo(TIMEOUT);
    }

    private static LettuceClientConfiguration secured() {
        return LettuceClientConfiguration.builder()
                .useSsl()
                .verifyPeer(SslVerifyMode.CA)
                .startTls()
                .and()
                .clientName("orders")
                .build();
    }

    private static void assertThatItConnectsSecurely(RedisURI uri, String user, String password) {
        assertThat(uri.isSsl()).as("TLS to %s", uri).isTrue();
        assertThat(uri.isStartTls()).as("StartTLS to %s", uri).isTrue();
        assertThat(uri.getVerifyMode()).as("verification of %s", uri).isEqualTo(SslVerifyMode.CA);
        assertThat(uri.getTimeout()).as("timeout of %s", uri).isEqualTo(TIMEOUT);
        assertThat(uri.getClientName()).as("name of the connection to %s", uri).isEqualTo("orders:locks");
        RedisCredentials credentials =
                uri.getCredentialsProvider().resolveCredentials().block();
        assertThat(credentials.getUsername()).as("user at %s", uri).isEqualTo(user);
        assertThat(credentials.getPassword()).as("password at %s", uri).isEqualTo(password.toCharArray());
    }

    /** The connections of the confirmation by replicas, each of which leads to one node. */
    @Test
    void shouldConnectToOneNodeAsTheApplicationDoes() {
        RedisClusterConfiguration cluster = (RedisClusterConfiguration) cluster();
        cluster.setUsername("shop");
        cluster.setPassword("secret");
        RedisStandaloneConfiguration server = (RedisStandaloneConfiguration) server();
        server.setUsername("shop");
        server.setPassword("secret");
        server.setDatabase(3);

        for (RedisConfiguration servers : List.of(cluster, server)) {
            RedisURI uri = recipe(servers).uriOf("node", 7);

            assertThat(uri.getHost() + ':' + uri.getPort()).as("address").isEqualTo("node:7");
            assertThatItConnectsSecurely(uri, "shop", "secret");
            assertThat(uri.getDatabase()).as("database of %s", uri).isEqualTo(servers == server ? 3 : 0);
        }
    }

    private static DerivedFactory recipe(RedisConfiguration servers) {
        return Objects.requireNonNull(DerivedFactory.of(new LettuceConnectionFactory(servers, secured()), TIMEOUT));
    }

    @Test
    void shouldConnectToSentinelsAndTheirMasterAsTheApplicationDoes() {
        RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration()
                .master("cache")
                .sentinel("one", 1)
                .sentinel("two", 2);
        sentinels.setSentinelUsername("watcher");
        sentinels.setSentinelPassword("hidden");
        sentinels.setUsername("shop");
        sentinels.setPassword("secret");
        sentinels.setDatabase(3);
        DerivedFactory recipe = recipe(sentinels);

        assertThat(recipe.servers())
                .as("servers in messages")
                .isEqualTo("Redis Sentinel at one:1, two:2 (master 'cache', database 3)");
        assertThat(recipe.sentinels())
                .as("Sentinels in the order of the configuration")
                .extracting(uri -> uri.getHost() + ':' + uri.getPort())
                .containsExactly("one:1", "two:2");
        recipe.sentinels().forEach(uri -> assertThatItConnectsSecurely(uri, "watcher", "hidden"));
        LettuceConnectionFactory master =
                recipe.ofNode(new RedisNode("elsewhere", 1234)).create();
        master.destroy();
        RedisStandaloneConfiguration server = (RedisStandaloneConfiguration) server();
        server.setUsername("shop");
        server.setPassword("secret");
        server.setDatabase(3);
        assertThat(new DirectFieldAccessor(master).getPropertyValue(DerivedFactory.CONFIGURATION))
                .as("the master, with user, password and database")
                .isEqualTo(server);
    }

    /** As with passwords that are changed once in a while. */
    @Test
    void shouldAskTheProvidersOfTheApplicationForCredentials() {
        RedisCredentialsProvider ofServer =
                RedisCredentialsProvider.from(() -> RedisCredentials.just("shop", "rotated"));
        RedisCredentialsProvider ofSentinel =
                RedisCredentialsProvider.from(() -> RedisCredentials.just("watcher", "rotated"));
        RedisCredentialsProviderFactory providers = new RedisCredentialsProviderFactory() {

            @Override
            public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
                return ofServer;
            }

            @Override
            public RedisCredentialsProvider createSentinelCredentialsProvider(RedisSentinelConfiguration sentinels) {
                return ofSentinel;
            }
        };
        DerivedFactory recipe = Objects.requireNonNull(DerivedFactory.of(
                new LettuceConnectionFactory(
                        new RedisSentinelConfiguration().master("cache").sentinel("one", 1),
                        LettuceClientConfiguration.builder()
                                .redisCredentialsProviderFactory(providers)
                                .build()),
                TIMEOUT));

        assertThat(recipe.uriOf("node", 7).getCredentialsProvider())
                .as("credentials for a node")
                .isSameAs(ofServer);
        assertThat(recipe.sentinels().get(0).getCredentialsProvider())
                .as("credentials for a Sentinel")
                .isSameAs(ofSentinel);
    }

    @Test
    void shouldLeadToTheSocketOfTheApplication() {
        DerivedFactory recipe = recipe(new RedisSocketConfiguration("/run/redis.sock"));

        assertThat(recipe.uriOf("localhost", 7).getSocket()).as("socket").isEqualTo("/run/redis.sock");
        assertThat(recipe.servers()).as("servers in messages").isEqualTo("Redis at a Unix socket (database 0)");
    }

    /** Their users open another connection, which may lead to another server. */
    @Test
    void shouldNotReopenConnectionsToSentinelsAndForConfirmations() {
        RedisClient client = recipe(server()).clientWithoutReconnection();

        assertThat(client.getOptions().isAutoReconnect())
                .as("reconnection by the client")
                .isFalse();
        client.shutdown();
    }

    private static ClusterTopologyRefreshOptions refresh(ClusterTopologyRefreshOptions.Builder given) {
        ClusterClientOptions options = ClusterClientOptions.builder()
                .topologyRefreshOptions(given.build())
                .build();
        return ((ClusterClientOptions) derivedOptions(cluster(), options)).getTopologyRefreshOptions();
    }

    @Test
    void shouldRefreshTheTopologyWhereTheApplicationChoseNothing() {
        ClusterTopologyRefreshOptions refresh = refresh(ClusterTopologyRefreshOptions.builder());

        assertThat(refresh.getAdaptiveRefreshTriggers()).containsExactlyInAnyOrder(RefreshTrigger.values());
        assertThat(refresh.isPeriodicRefreshEnabled()).isTrue();
        assertThat(refresh.getRefreshPeriod()).as("two command timeouts").isEqualTo(Duration.ofSeconds(2));
        assertThat(refresh.isCloseStaleConnections()).isTrue();
        assertThat(refresh.useDynamicRefreshSources()).isTrue();
        assertThat(DerivedFactory.refreshPeriod(Duration.ofMinutes(1))).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    @SuppressWarnings("deprecation") // the triggers are on by default from Lettuce 7 on, not before
    void shouldRefreshTheTopologyAsTheApplicationHasChosen() {
        ClusterTopologyRefreshOptions periodic = refresh(ClusterTopologyRefreshOptions.builder()
                .disableAllAdaptiveRefreshTriggers()
                .enablePeriodicRefresh(Duration.ofSeconds(3))
                .dynamicRefreshSources(false));
        ClusterTopologyRefreshOptions adaptive = refresh(ClusterTopologyRefreshOptions.builder()
                .disableAllAdaptiveRefreshTriggers()
                .enableAdaptiveRefreshTrigger(RefreshTrigger.MOVED_REDIRECT)
                .adaptiveRefreshTriggersTimeout(Duration.ofSeconds(7))
                .refreshTriggersReconnectAttempts(2));

        assertThat(periodic.getRefreshPeriod()).isEqualTo(Duration.ofSeconds(3));
        assertThat(periodic.useDynamicRefreshSources()).isFalse();
        assertThat(periodic.getAdaptiveRefreshTriggers()).containsExactlyInAnyOrder(RefreshTrigger.values());
        assertThat(periodic.getAdaptiveRefreshTimeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(adaptive.getAdaptiveRefreshTriggers()).containsExactlyInAnyOrder(RefreshTrigger.values());
        assertThat(adaptive.getAdaptiveRefreshTimeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(adaptive.getRefreshTriggersReconnectAttempts()).isEqualTo(2);
        assertThat(adaptive.isPeriodicRefreshEnabled()).isTrue();
    }

    /** Lettuce leaves the timeouts of its attempts to connect in the timer, and each would log an error. */
    @Test
    void shouldRunNoTimeoutAfterTheShutdown() throws Exception {
        ClientResources application = ClientResources.create();
        OwnEventLoops loops = new OwnEventLoops(new LettuceConnectionFactory(
                new RedisStandaloneConfiguration(),
                LettuceClientConfiguration.builder()
                        .clientResources(application)
                        .build()));
        List<String> run = new CopyOnWriteArrayList<>();
        after(1, loops.resources().timer(), () -> run.add("before")).await();
        CountDownLatch late = after(200, loops.resources().timer(), () -> run.add("late"));

        loops.shutdown();
        after(1, loops.resources().timer(), () -> run.add("restarted")).await();
        after(400, application.timer(), () -> run.add("application")).await();

        assertThat(run).containsExactly("before", "restarted", "application");
        assertThat(late.getCount()).isEqualTo(1);
        loops.shutdown();
        application.shutdown(0, 1, TimeUnit.SECONDS).get();
    }

    private static CountDownLatch after(long millis, Timer timer, Runnable action) {
        CountDownLatch done = new CountDownLatch(1);
        timer.newTimeout(
                timeout -> {
                    action.run();
                    done.countDown();
                },
                millis,
                TimeUnit.MILLISECONDS);
        return done;
    }

    /** What the store reads by name: its scripts, and the fields with the servers and with the channels. */
    @Test
    void shouldRegisterHintsForANativeImage() throws IOException {
        RuntimeHints hints = new RuntimeHints();
        AotServices.factories().load(RuntimeHintsRegistrar.class).stream()
                .filter(RedisStoreHints.class::isInstance)
                .forEach(registrar -> registrar.registerHints(hints, getClass().getClassLoader()));
        String folder = "io/github/lockstarter/store/redis/script/";

        assertThat(new PathMatchingResourcePatternResolver().getResources("classpath*:" + folder + "*.lua"))
                .hasSizeGreaterThan(3)
                .allSatisfy(script -> assertThat(hints)
                        .matches(RuntimeHintsPredicates.resource().forResource(folder + script.getFilename())));
        assertThat(hints)
                .matches(RuntimeHintsPredicates.reflection()
                        .onFieldAccess(ReflectionUtils.findField(
                                LettuceConnectionFactory.class, DerivedFactory.CONFIGURATION)))
                .matches(RuntimeHintsPredicates.reflection()
                        .onFieldAccess(ReflectionUtils.findField(AbstractRedisClient.class, PipelineGuard.CHANNELS)));
    }
}

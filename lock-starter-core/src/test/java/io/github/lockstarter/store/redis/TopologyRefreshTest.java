package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions.RefreshTrigger;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** How the private connection learns of changes in a cluster: as the application chose, and at least often enough. */
@SuppressWarnings("deprecation") // the triggers are on by default from Lettuce 7 on, not before
class TopologyRefreshTest {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private static ClusterClientOptions derivedFrom(UnaryOperator<ClusterTopologyRefreshOptions.Builder> choices) {
        ClusterTopologyRefreshOptions given =
                choices.apply(ClusterTopologyRefreshOptions.builder()).build();
        return derivedFrom(LettuceClientConfiguration.builder()
                .clientOptions(ClusterClientOptions.builder()
                        .topologyRefreshOptions(given)
                        .build())
                .build());
    }

    private static ClusterClientOptions derivedFrom(LettuceClientConfiguration client) {
        return derivedFrom(client, Duration.ofSeconds(5));
    }

    private static ClusterClientOptions derivedFrom(LettuceClientConfiguration client, Duration timeout) {
        RedisClusterConfiguration cluster = new RedisClusterConfiguration();
        cluster.addClusterNode(new RedisNode("elsewhere", 1234));
        LettuceConnectionFactory derived = Objects.requireNonNull(
                        DerivedFactory.of(new LettuceConnectionFactory(cluster, client), timeout))
                .create();
        derived.destroy();
        return (ClusterClientOptions)
                derived.getClientConfiguration().getClientOptions().orElseThrow();
    }

    private static ClusterTopologyRefreshOptions refresh(UnaryOperator<ClusterTopologyRefreshOptions.Builder> choices) {
        return derivedFrom(choices).getTopologyRefreshOptions();
    }

    @Test
    void shouldRefreshWhereTheApplicationChoseNothing() {
        ClusterClientOptions options = derivedFrom(LettuceClientConfiguration.defaultConfiguration());

        ClusterTopologyRefreshOptions refresh = options.getTopologyRefreshOptions();
        assertThat(refresh.getAdaptiveRefreshTriggers()).containsExactlyInAnyOrder(RefreshTrigger.values());
        assertThat(refresh.isPeriodicRefreshEnabled()).isTrue();
        assertThat(refresh.getRefreshPeriod()).isEqualTo(TEN_SECONDS);
        assertThat(refresh.isCloseStaleConnections()).isTrue();
        assertThat(refresh.useDynamicRefreshSources()).isTrue();
        assertThat(options.isRefreshClusterView()).isTrue();
        assertThat(options.getRefreshPeriod()).isEqualTo(TEN_SECONDS);
    }

    @Test
    void shouldRefreshAboutOnceInARenewalInterval() {
        Duration ofThreeSecondsLease = Duration.ofMillis(500);

        ClusterClientOptions options =
                derivedFrom(LettuceClientConfiguration.defaultConfiguration(), ofThreeSecondsLease);

        assertThat(options.getTopologyRefreshOptions().getRefreshPeriod()).isEqualTo(Duration.ofSeconds(1));
    }

    /** As with {@code spring.data.redis.lettuce.cluster.refresh.period} and {@code dynamic-refresh-sources}. */
    @Test
    void shouldKeepThePeriodAndTheSources() {
        ClusterTopologyRefreshOptions refresh = refresh(choices -> choices.disableAllAdaptiveRefreshTriggers()
                .enablePeriodicRefresh(Duration.ofSeconds(3))
                .dynamicRefreshSources(false));

        assertThat(refresh.isPeriodicRefreshEnabled()).isTrue();
        assertThat(refresh.getRefreshPeriod()).isEqualTo(Duration.ofSeconds(3));
        assertThat(refresh.useDynamicRefreshSources()).isFalse();
        assertThat(refresh.getAdaptiveRefreshTriggers()).containsExactlyInAnyOrder(RefreshTrigger.values());
        assertThat(refresh.getAdaptiveRefreshTimeout()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void shouldKeepTheTriggersAndTheirTimeout() {
        ClusterTopologyRefreshOptions refresh = refresh(choices -> choices.disableAllAdaptiveRefreshTriggers()
                .enableAdaptiveRefreshTrigger(RefreshTrigger.MOVED_REDIRECT, RefreshTrigger.PERSISTENT_RECONNECTS)
                .adaptiveRefreshTriggersTimeout(Duration.ofSeconds(7))
                .refreshTriggersReconnectAttempts(2));

        assertThat(refresh.getAdaptiveRefreshTriggers())
                .containsExactlyInAnyOrder(RefreshTrigger.MOVED_REDIRECT, RefreshTrigger.PERSISTENT_RECONNECTS);
        assertThat(refresh.getAdaptiveRefreshTimeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(refresh.getRefreshTriggersReconnectAttempts()).isEqualTo(2);
        assertThat(refresh.isPeriodicRefreshEnabled()).isTrue();
        assertThat(refresh.getRefreshPeriod()).isEqualTo(TEN_SECONDS);
    }
}

package io.github.lockstarter.store.redis;

import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * Refreshes the topology of a cluster as the application has configured, and enables what it left at its default.
 * Without a refresh after a failover, a lock is renewed at the wrong node until it is lost. By default Lettuce
 * refreshes nothing before version 7, and never periodically.
 *
 * <p>The getters are overridden because these options have no {@code mutate()}, and the builder of Lettuce 7 cannot
 * exclude a trigger by methods that Lettuce 6 has.
 */
final class TopologyRefresh extends ClusterTopologyRefreshOptions {

    private static final Duration TRIGGERS_TIMEOUT = Duration.ofSeconds(1);

    private final ClusterTopologyRefreshOptions given;

    private final Duration period;

    /** Creates options that refresh once in that period unless the application has chosen another one. */
    TopologyRefresh(ClusterTopologyRefreshOptions given, Duration period) {
        super(given);
        this.given = given;
        this.period = period;
    }

    private boolean hasTriggers() {
        return !this.given.getAdaptiveRefreshTriggers().isEmpty();
    }

    @Override
    public Set<RefreshTrigger> getAdaptiveRefreshTriggers() {
        return hasTriggers() ? this.given.getAdaptiveRefreshTriggers() : EnumSet.allOf(RefreshTrigger.class);
    }

    @Override
    public Duration getAdaptiveRefreshTimeout() {
        Duration timeout = this.given.getAdaptiveRefreshTimeout();
        return hasTriggers() || !timeout.equals(DEFAULT_ADAPTIVE_REFRESH_TIMEOUT_DURATION) ? timeout : TRIGGERS_TIMEOUT;
    }

    @Override
    public boolean isPeriodicRefreshEnabled() {
        return true;
    }

    @Override
    public Duration getRefreshPeriod() {
        Duration chosen = this.given.getRefreshPeriod();
        return this.given.isPeriodicRefreshEnabled() || !chosen.equals(DEFAULT_REFRESH_PERIOD_DURATION)
                ? chosen
                : this.period;
    }

    @Override
    public boolean isCloseStaleConnections() {
        return this.given.isCloseStaleConnections();
    }

    @Override
    public boolean useDynamicRefreshSources() {
        return this.given.useDynamicRefreshSources();
    }

    @Override
    public int getRefreshTriggersReconnectAttempts() {
        return this.given.getRefreshTriggersReconnectAttempts();
    }
}

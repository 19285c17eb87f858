package io.github.lockstarter.leader;

import io.github.lockstarter.LockHealthDetails;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/** Auto-configuration of what shows leader roles: the endpoint {@code leaders}, health, info and meters. */
@AutoConfiguration(after = DistributedLockLeaderAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnBean(value = LeaderElections.class, search = SearchStrategy.CURRENT)
public final class DistributedLockLeaderActuatorAutoConfiguration {

    /** Adds the roles to the health of the locks, whichever version of Spring Boot shows it. */
    @Bean
    LockHealthDetails distributedLockLeaderHealthDetails(LeaderElections elections) {
        return new LockHealthDetails() {
            @Override
            public String name() {
                return "leader";
            }

            @Override
            public Object details() {
                return elections.states();
            }
        };
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    @ConditionalOnAvailableEndpoint(endpoint = LeadersEndpoint.class)
    static class EndpointConfiguration {

        @Bean
        @ConditionalOnMissingBean
        LeadersEndpoint distributedLockLeadersEndpoint(LeaderElections elections) {
            return new LeadersEndpoint(elections);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(InfoContributor.class)
    @ConditionalOnBooleanProperty(name = "management.info.distributed-lock-leader.enabled", matchIfMissing = true)
    static class InfoConfiguration {

        @Bean
        InfoContributor distributedLockLeaderInfoContributor(LeaderElections elections) {
            return builder -> builder.withDetail("distributedLock", Map.of("leader", elections.states()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBooleanProperty(name = "distributed-lock.metrics.enabled", matchIfMissing = true)
    static class MetersConfiguration {

        @Bean
        LeaderMeters distributedLockLeaderMeters(LeaderElections elections) {
            return new LeaderMeters(elections);
        }
    }
}

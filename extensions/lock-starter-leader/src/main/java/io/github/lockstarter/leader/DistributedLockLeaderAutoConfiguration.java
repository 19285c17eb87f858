package io.github.lockstarter.leader;

import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** Auto-configuration of leader roles. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@EnableConfigurationProperties(LeaderProperties.class)
public final class DistributedLockLeaderAutoConfiguration {

    /** Creates the post-processor; static, because it is one of the bean factory. */
    @Bean
    static LeaderLeases distributedLockLeaderLeases(ConfigurableEnvironment environment) {
        return new LeaderLeases(environment);
    }

    /** Creates the post-processor; static and with values from the environment only, as that of the locks. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LeaderAnnotations distributedLockLeaderAnnotations(
            Environment environment,
            ObjectProvider<DistributedLockBeanPostProcessor> locks,
            ObjectProvider<LeaderElections> elections) {
        Binder binder = Binder.get(environment);
        LeaderAnnotations annotations = new LeaderAnnotations(
                () -> {
                    DistributedLockBeanPostProcessor postProcessor = locks.getIfUnique();
                    return postProcessor != null ? postProcessor.annotatedLocks() : List.of();
                },
                elections::getObject,
                binder.bind("distributed-lock.on-lost", OnLost.class).orElse(OnLost.THROW));
        int lockOrder = binder.bind("distributed-lock.aspect.order", Integer.class)
                .orElse(DistributedLockBeanPostProcessor.DEFAULT_ORDER);
        annotations.setOrder(lockOrder > Integer.MIN_VALUE ? lockOrder - 1 : lockOrder);
        annotations.setProxyTargetClass(
                binder.bind("spring.aop.proxy-target-class", Boolean.class).orElse(true));
        return annotations;
    }

    /** Creates the roles. Without a registry, or with several, their creation fails; there may be no roles. */
    @Bean
    @Lazy(false)
    LeaderElections distributedLockLeaderElections(
            ConfigurableApplicationContext context,
            LeaderProperties properties,
            LeaderAnnotations annotations,
            ObjectProvider<LockRegistry> registry,
            ObjectProvider<LockInventory> inventory,
            ObjectProvider<DistributedLockBeanPostProcessor> locks) {
        // Their settings are used, although no annotated method has their names.
        locks.ifUnique(postProcessor -> properties.roles().keySet().stream()
                .map(RoleRunner::lockName)
                .flatMap(name -> Stream.of(name, LeaderProperties.variable(name)))
                .forEach(postProcessor::addRequestedName));
        return new LeaderElections(context, properties, annotations, registry.getIfUnique(), inventory.getIfUnique());
    }

    @Bean
    @ConditionalOnMissingBean(value = LeaderElection.class, search = SearchStrategy.CURRENT)
    LeaderElection distributedLockLeaderElection(LeaderElections elections) {
        return new DefaultLeaderElection(elections);
    }

    @Bean
    LeaderRiskListener distributedLockLeaderRiskListener(ObjectProvider<LeaderElections> elections) {
        return new LeaderRiskListener(elections);
    }
}

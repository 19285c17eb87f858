package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLockConnectionFactory;
import java.util.Objects;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Matches if a single connection factory is marked for locks, or there is a single or a primary one. */
final class OnConnectionFactoryForLocks extends AnyNestedCondition {

    OnConnectionFactoryForLocks() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnSingleCandidate(RedisConnectionFactory.class)
    static final class OnSingle {}

    @Conditional(OnMarkedFactory.class)
    static final class OnMarked {}

    static final class OnMarkedFactory extends SpringBootCondition implements ConfigurationCondition {

        @Override
        public ConfigurationPhase getConfigurationPhase() {
            return ConfigurationPhase.REGISTER_BEAN;
        }

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            ConfigurableListableBeanFactory beanFactory = Objects.requireNonNull(context.getBeanFactory());
            String name = MarkedConnectionFactories.onlyOneIn(beanFactory);
            return name != null
                    ? ConditionOutcome.match("bean '" + name + "' is marked for locks")
                    : ConditionOutcome.noMatch("there is no single RedisConnectionFactory bean with @"
                            + DistributedLockConnectionFactory.class.getSimpleName());
        }
    }
}

package io.github.lockstarter.shedlock;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of a lock provider for ShedLock. It backs off if the application defines one. The application
 * enables ShedLock itself, with {@code @EnableSchedulerLock}.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(LockProvider.class)
@ConditionalOnSingleCandidate(LockRegistry.class)
public final class DistributedLockShedLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(LockProvider.class)
    LeaseLockProvider distributedLockProvider(LockRegistry registry) {
        return new LeaseLockProvider(registry);
    }
}

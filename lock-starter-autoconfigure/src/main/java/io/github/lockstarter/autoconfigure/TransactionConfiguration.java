package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.tx.CommitGuard;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.TransactionExecutionListener;

/** Configuration of the guard that prevents commits after a loss, if Spring's transactions are present. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(TransactionExecutionListener.class)
class TransactionConfiguration {

    /**
     * Creates the guard; static, because it is a post-processor. That of a parent context does not process this one's
     * beans.
     */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static CommitGuard distributedLockCommitGuard() {
        return new CommitGuard();
    }
}

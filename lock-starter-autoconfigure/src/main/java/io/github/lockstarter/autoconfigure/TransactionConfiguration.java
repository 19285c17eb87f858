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

/** Transactions, where there can be some. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(TransactionExecutionListener.class)
class TransactionConfiguration {

    /** A post-processor, hence static. One of a parent context never sees the transaction managers of this one. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static CommitGuard distributedLockCommitGuard() {
        return new CommitGuard();
    }
}

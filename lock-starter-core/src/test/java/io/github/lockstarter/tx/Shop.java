package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.InMemoryLockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with real locks, in memory, and a real database. */
@Configuration(proxyBeanMethods = false)
@EnableTransactionManagement(proxyTargetClass = true)
class Shop {

    @Bean
    static DistributedLockBeanPostProcessor locks(ObjectProvider<LockRegistry> registry) {
        return new DistributedLockBeanPostProcessor(registry::getObject, LockSettings.of(Duration.ofSeconds(30)));
    }

    @Bean
    static CommitGuard commitGuard() {
        return new CommitGuard();
    }

    /** Leases that are renewed often, and do not end because a thread waits for its turn on a busy machine. */
    @Bean
    LeasingLockRegistry lockRegistry() {
        LockSettings settings = LockSettings.of(
                Duration.ofSeconds(10),
                OnLost.THROW,
                Duration.ofSeconds(15),
                Duration.ofMillis(300),
                null,
                null,
                null,
                Duration.ofSeconds(10));
        return new LeasingLockRegistry(new InMemoryLockStore(), settings, null, List.of());
    }

    @Bean
    DataSource dataSource() {
        return new DriverManagerDataSource("jdbc:h2:mem:shop" + System.identityHashCode(this) + ";DB_CLOSE_DELAY=-1");
    }

    @Bean
    JdbcTemplate jdbc(DataSource dataSource) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("create table orders (id varchar(50))");
        return jdbc;
    }

    @Bean
    JdbcTransactionManager transactionManager(DataSource dataSource) {
        return new JdbcTransactionManager(dataSource);
    }

    @Bean
    TransactionTemplate transactions(PlatformTransactionManager transactionManager) {
        return new TransactionTemplate(transactionManager);
    }

    static long orders(JdbcTemplate jdbc) {
        Long count = jdbc.queryForObject("select count(*) from orders", Long.class);
        return count;
    }

    /** Waits until the owner has noticed the loss. */
    static void lose(LockRegistry registry, Lease lease) {
        registry.getLock(lease.name()).forceUnlock();
        lease.lost().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }

    static Lease acquire(LockRegistry registry, LockRequest request) {
        try {
            return registry.acquire(request);
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    static void insert(JdbcTemplate jdbc) {
        jdbc.update("insert into orders values ('one')");
    }
}

package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

final class DistributedLockFenceAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class,
                    DistributedLockFenceAutoConfiguration.class))
            .withUserConfiguration(Shop.class)
            .withPropertyValues("distributed-lock.store=memory", "spring.datasource.generate-unique-name=true");

    private final ApplicationContextRunner fenced =
            this.runner.withPropertyValues("distributed-lock.jdbc.fence.enabled=true");

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Shop {

        @Bean
        Orders orders(JdbcTemplate jdbc) {
            return new Orders(jdbc);
        }
    }

    static class Orders {

        private final JdbcTemplate jdbc;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        /** Returns the token that the transaction has stored. */
        @DistributedLock(name = "order", key = "#id")
        @Transactional
        public Long settle(String id, String table) {
            Long stored = this.jdbc.queryForObject("SELECT MAX(token) FROM " + table, Long.class);
            assertThat(stored).isEqualTo(LeaseContext.required().fencingToken());
            return stored;
        }

        /** A later owner commits while this one is paused before its first transaction. */
        @DistributedLock(name = "order", key = "#id")
        public void pause(String id, Runnable work) {
            this.jdbc.update("UPDATE distributed_lock_fence SET token = token + 1");
            work.run();
        }
    }

    @Test
    void shouldBeOffByDefault() {
        this.runner.run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(TransactionFence.class)
                .doesNotHaveBean(FenceRegistrar.class));
    }

    @Test
    void shouldFenceTransactionsOfAnnotatedMethods() {
        this.fenced.run(context -> {
            Long token = context.getBean(Orders.class).settle("1", "distributed_lock_fence");
            assertThat(token).isPositive();
        });
    }

    @Test
    void shouldRollBackALateOwner() {
        this.fenced.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThatThrownBy(() -> orders.pause("1", () -> orders.settle("1", "distributed_lock_fence")))
                    .isInstanceOf(LockLostException.class);
        });
    }

    @Test
    void shouldFenceTransactionsOfJpa() {
        this.fenced
                .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
                .run(context -> {
                    assertThat(context.getBean(TransactionManager.class)).isInstanceOf(JpaTransactionManager.class);
                    Orders orders = context.getBean(Orders.class);
                    assertThat(orders.settle("1", "distributed_lock_fence")).isPositive();
                    assertThatThrownBy(() -> orders.pause("1", () -> orders.settle("1", "distributed_lock_fence")))
                            .isInstanceOf(LockLostException.class);
                    assertThat(TransactionSynchronizationManager.getResourceMap())
                            .isEmpty();
                    assertThat(context.getBean(HikariDataSource.class)
                                    .getHikariPoolMXBean()
                                    .getActiveConnections())
                            .isZero();
                });
    }

    @Test
    void shouldNeedOneConnectionAtATime() {
        this.fenced
                .withPropertyValues(
                        "spring.datasource.hikari.maximum-pool-size=1",
                        "spring.datasource.hikari.connection-timeout=2000")
                .run(context -> assertThat(context.getBean(Orders.class).settle("1", "distributed_lock_fence"))
                        .isPositive());
    }

    @Test
    void shouldUseTheConfiguredTable() {
        this.fenced
                .withPropertyValues("distributed-lock.jdbc.fence.table-name=shop_fence")
                .run(context -> assertThat(context.getBean(Orders.class).settle("1", "shop_fence"))
                        .isPositive());
    }

    @Test
    void shouldNotStartWithoutTheTable() {
        this.fenced
                .withPropertyValues("distributed-lock.jdbc.fence.initialize-schema=never")
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("DISTRIBUTED_LOCK_FENCE"));
    }

    @Test
    void shouldNotStartWithATableNameThatIsNoName() {
        this.fenced
                .withPropertyValues("distributed-lock.jdbc.fence.table-name=fence; DROP TABLE users")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("distributed-lock.jdbc.fence.table-name"));
    }

    @Test
    void shouldNotStartIfADataSourceIsMissing() {
        this.fenced
                .withPropertyValues("distributed-lock.jdbc.fence.data-sources=orders")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("[orders]")
                        .hasMessageContaining("[dataSource]"));
    }
}

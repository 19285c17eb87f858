package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.DistributedLockEndpointAutoConfiguration;
import io.github.lockstarter.autoconfigure.DistributedLockHealthAutoConfiguration;
import io.github.lockstarter.autoconfigure.DistributedLockMetricsAutoConfiguration;
import io.github.lockstarter.registry.GrantFence;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.hibernate.HibernateTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

@ExtendWith(OutputCaptureExtension.class)
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

    private final ApplicationContextRunner metered = this.fenced
            .withConfiguration(AutoConfigurations.of(DistributedLockMetricsAutoConfiguration.class))
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new);

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Shop {

        final List<TransactionRefusedEvent> refusals = new CopyOnWriteArrayList<>();

        @EventListener
        void refused(TransactionRefusedEvent event) {
            this.refusals.add(event);
        }

        @Bean
        Orders orders(JdbcTemplate jdbc) {
            return new Orders(jdbc);
        }
    }

    public static class Orders {

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

        @DistributedLock(name = "order", key = "#id")
        @Transactional(readOnly = true)
        public void read(String id) {}

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
    void shouldAskAtTheGrantAndAtEachBeginThatIsNotReadOnly() {
        this.metered.run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            Orders orders = context.getBean(Orders.class);
            orders.settle("1", "distributed_lock_fence");
            assertThat(answers(meters, "accepted")).as("grant and begin").isEqualTo(2);
            orders.read("1");
            assertThat(answers(meters, "accepted")).as("grant alone").isEqualTo(3);
        });
    }

    /** Its method joins that transaction, whose begin has raised no token. */
    @Test
    void shouldRaiseTheTokenAtTheGrantInAReadOnlyTransaction() {
        this.metered.run(context -> {
            TransactionTemplate readOnly = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            readOnly.setReadOnly(true);
            Orders orders = context.getBean(Orders.class);
            readOnly.executeWithoutResult(status -> orders.settle("1", "distributed_lock_fence"));
            assertThat(answers(context.getBean(MeterRegistry.class), "accepted"))
                    .isEqualTo(1);
        });
    }

    private static long answers(MeterRegistry meters, String outcome) {
        return meters.get("distributed.lock.fence")
                .tag("lock", "order")
                .tag("outcome", outcome)
                .timer()
                .count();
    }

    @Test
    void shouldReportARefusal() {
        this.metered
                .withConfiguration(AutoConfigurations.of(
                        DistributedLockEndpointAutoConfiguration.class, DistributedLockHealthAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=locks")
                .run(context -> {
                    Orders orders = context.getBean(Orders.class);
                    assertThatThrownBy(() -> orders.pause("1", () -> orders.settle("1", "distributed_lock_fence")))
                            .isInstanceOf(LockLostException.class);

                    assertThat(answers(context.getBean(MeterRegistry.class), "refused"))
                            .isEqualTo(1);
                    await().untilAsserted(() ->
                            assertThat(context.getBean(Shop.class).refusals).hasSize(1));
                    assertThat(context.getBean(Shop.class).refusals)
                            .singleElement()
                            .satisfies(event -> {
                                assertThat(event.name()).isEqualTo("order");
                                assertThat(event.key()).isEqualTo("1");
                                assertThat(event.outcome()).isEqualTo(FenceOutcome.REFUSED);
                                assertThat(event.failure()).isInstanceOf(TransactionRefusedException.class);
                            });
                    HealthIndicator health = context.getBean(HealthIndicator.class);
                    assertThat(health.health().getDetails())
                            .extractingByKey("fence", InstanceOfAssertFactories.map(String.class, Object.class))
                            .containsEntry("accepted", 1L)
                            .containsEntry("refused", 1L)
                            .containsEntry("unknown", 0L)
                            .extractingByKey("lastRefusal", InstanceOfAssertFactories.map(String.class, Object.class))
                            .containsEntry("lock", "order")
                            .containsEntry("outcome", "REFUSED");
                    assertThat(context.getBean(GrantFence.class).details())
                            .containsEntry("tables", List.of("table distributed_lock_fence (h2)"));
                });
    }

    /** Its transaction is not that of the late owner. */
    @Test
    void shouldLetAListenerUseTheDatabase() {
        this.fenced
                .withBean("failing", FailingListener.class, FailingListener::new)
                .withBean(AuditingListener.class)
                .run(context -> {
                    Orders orders = context.getBean(Orders.class);
                    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                    jdbc.execute("CREATE TABLE audit (outcome VARCHAR(20))");
                    for (int i = 0; i < 2; i++) {
                        assertThatThrownBy(() -> orders.pause("1", () -> orders.settle("1", "distributed_lock_fence")))
                                .isInstanceOf(LockLostException.class);
                    }
                    await().untilAsserted(() -> assertThat(jdbc.queryForList("SELECT outcome FROM audit", String.class))
                            .containsExactly("REFUSED", "REFUSED"));
                });
    }

    static class AuditingListener {

        private final JdbcTemplate jdbc;

        private final TransactionTemplate transaction;

        AuditingListener(JdbcTemplate jdbc, PlatformTransactionManager manager) {
            this.jdbc = jdbc;
            this.transaction = new TransactionTemplate(manager);
        }

        @EventListener
        @Order(1)
        public void refused(TransactionRefusedEvent event) {
            this.transaction.executeWithoutResult(status -> this.jdbc.update(
                    "INSERT INTO audit (outcome) VALUES (?)", event.outcome().name()));
        }
    }

    static class FailingListener {

        @EventListener
        @Order(2)
        public void refused(TransactionRefusedEvent event) {
            throw new IllegalStateException("a fault of the listener");
        }
    }

    @Test
    void shouldStartWithoutMicrometer() {
        this.fenced
                .withClassLoader(new FilteredClassLoader(MeterRegistry.class))
                .run(context -> assertThat(context.getBean(Orders.class).settle("1", "distributed_lock_fence"))
                        .isPositive());
    }

    @Test
    void shouldHaveHintsForNativeImages() {
        RuntimeHints hints = new RuntimeHints();
        new FenceHints().registerHints(hints, getClass().getClassLoader());
        assertThat(RuntimeHintsPredicates.resource().forResource("io/github/lockstarter/jdbc/schema-h2.sql"))
                .accepts(hints);
        for (Class<?> manager : List.of(
                DataSourceTransactionManager.class, JpaTransactionManager.class, HibernateTransactionManager.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(manager, "getDataSource"))
                    .accepts(hints);
        }
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
    void shouldListenOnceToAManagerWhoseProxyIsABeanAsWell() {
        JpaTransactionManager manager = new JpaTransactionManager();
        manager.setTransactionExecutionListeners(List.of());
        FenceRegistrar registrar = new FenceRegistrar(new TransactionFence());
        Object unused = registrar.postProcessAfterInitialization(manager, "manager");
        Object unusedToo = registrar.postProcessAfterInitialization(new ProxyFactory(manager).getProxy(), "proxy");
        assertThat(manager.getTransactionExecutionListeners()).hasSize(1);
    }

    /** As that of a {@link TransactionManagementConfigurer}. */
    @Test
    void shouldListenToTheManagerOfAnInterceptor() {
        JpaTransactionManager manager = new JpaTransactionManager();
        TransactionInterceptor interceptor = new TransactionInterceptor();
        interceptor.setTransactionManager(manager);
        FenceRegistrar registrar = new FenceRegistrar(new TransactionFence());
        Object unused = registrar.postProcessAfterInitialization(interceptor, "interceptor");
        assertThat(manager.getTransactionExecutionListeners()).hasSize(1);
    }

    @Test
    void shouldWarnOfALockInATransactionOfAManagerThatIsNoBean(CapturedOutput output) {
        this.fenced.run(context -> {
            LockRegistry locks = context.getBean(LockRegistry.class);
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> locks.executeWithoutResult(LockRequest.of("order:1"), lease -> {}));
            assertThat(output).doesNotContain("is granted in a transaction that is not fenced");
            new TransactionTemplate(new DataSourceTransactionManager(context.getBean(DataSource.class)))
                    .executeWithoutResult(status -> locks.executeWithoutResult(LockRequest.of("order:1"), lease -> {}));
            assertThat(output).containsOnlyOnce("is granted in a transaction that is not fenced");
        });
    }

    /** Each would wait for a transaction of the other that the same thread has begun. */
    @Test
    void shouldKnowTwoPoolsOfOneDatabase() {
        this.fenced
                .withUserConfiguration(SecondPool.class)
                .run(context -> assertThat(context.getBean(GrantFence.class).details())
                        .containsEntry("tables", List.of("table distributed_lock_fence (h2)")));
    }

    @Configuration(proxyBeanMethods = false)
    static class SecondPool {

        @Bean(defaultCandidate = false)
        DataSource second(DataSource first) throws SQLException {
            try (Connection connection = first.getConnection()) {
                return new DriverManagerDataSource(connection.getMetaData().getURL() + ";LOCK_TIMEOUT=3000", "sa", "");
            }
        }
    }

    /** A replica, where nothing can be raised, is an empty database here. */
    @Configuration(proxyBeanMethods = false)
    static class ReadsAndWrites {

        @Bean(defaultCandidate = false)
        DataSource master() {
            return new DriverManagerDataSource("jdbc:h2:mem:master;DB_CLOSE_DELAY=-1", "sa", "");
        }

        @Bean(defaultCandidate = false)
        DataSource replica() {
            return new DriverManagerDataSource("jdbc:h2:mem:replica;DB_CLOSE_DELAY=-1", "sa", "");
        }

        @Bean
        @Primary
        DataSource router(@Qualifier("master") DataSource master, @Qualifier("replica") DataSource replica) {
            AbstractRoutingDataSource router = new AbstractRoutingDataSource() {

                @Override
                protected Object determineCurrentLookupKey() {
                    return TransactionSynchronizationManager.isCurrentTransactionReadOnly();
                }
            };
            router.setTargetDataSources(Map.of(false, master, true, replica));
            return router;
        }
    }

    @Test
    void shouldNameTheRouterIfADatabaseBehindItCannotBeFenced() {
        this.fenced
                .withUserConfiguration(ReadsAndWrites.class)
                .withPropertyValues("distributed-lock.jdbc.fence.initialize-schema=never")
                .run(context -> {
                    Throwable failure = context.getStartupFailure();
                    while (!(failure instanceof InvalidLockDefinitionException definition)) {
                        failure = Objects.requireNonNull(failure).getCause();
                    }
                    assertThat(definition.remedy()).contains("[router]");
                });
    }

    @Test
    void shouldNotRaiseInAReadOnlyTransactionOfARouter() {
        this.fenced
                .withUserConfiguration(ReadsAndWrites.class)
                .withPropertyValues("distributed-lock.jdbc.fence.data-sources=router")
                .run(context -> {
                    TransactionTemplate readOnly =
                            new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
                    readOnly.setReadOnly(true);
                    TransactionTemplate writing =
                            new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
                    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                    LeaseLock lock = context.getBean(LockRegistry.class).getLock("order:1");
                    readOnly.executeWithoutResult(status -> lock.lock());
                    Long token = writing.execute(
                            status -> jdbc.queryForObject("SELECT token FROM distributed_lock_fence", Long.class));
                    assertThat(token).isEqualTo(lock.currentLease().fencingToken());
                    lock.unlock();
                });
    }

    /** Otherwise each token would be raised twice, in two transactions of which one waits for the other. */
    @Test
    void shouldHaveOneTableForDataSourcesThatDifferInTheParametersOfTheirUrl() {
        String url = "jdbc:h2:mem:one-database;DB_CLOSE_DELAY=-1";
        this.fenced
                .withBean(
                        "sales",
                        DataSource.class,
                        () -> new DriverManagerDataSource(url),
                        definition -> definition.setPrimary(true))
                .withBean("reports", DataSource.class, () -> new DriverManagerDataSource(url + ";LOCK_TIMEOUT=2000"))
                .run(context -> {
                    FenceTables tables = context.getBean(FenceTables.class);
                    assertThat(tables.all())
                            .as("tables of two DataSources of one database")
                            .hasSize(1);
                    DataSource lazy = new LazyConnectionDataSourceProxy(context.getBean(DataSource.class));
                    assertThat(tables.find(lazy))
                            .as("table of a manager that obtains connections late")
                            .isSameAs(tables.all().get(0));
                });
    }

    @Test
    void shouldNotFenceADataSourceThatIsNotListed() {
        this.fenced
                .withBean(
                        "sales",
                        DataSource.class,
                        () -> new DriverManagerDataSource("jdbc:h2:mem:listed;DB_CLOSE_DELAY=-1"),
                        definition -> definition.setPrimary(true))
                .withBean(
                        "reports",
                        DataSource.class,
                        () -> new DriverManagerDataSource("jdbc:h2:mem:not-listed;DB_CLOSE_DELAY=-1"))
                .withPropertyValues("distributed-lock.jdbc.fence.data-sources=sales")
                .run(context -> assertThat(context.getBean(FenceTables.class).all())
                        .as("tables of one of two DataSources, which is listed")
                        .hasSize(1));
    }

    /** The table may be there already, so that its check decides. */
    @Test
    void shouldNameTheStatementOfTheScriptThatFails(@TempDir Path directory) throws IOException {
        Path script = Files.writeString(directory.resolve("schema.sql"), "CREATE NONSENSE");
        this.fenced
                .withPropertyValues("distributed-lock.jdbc.fence.schema=" + script.toUri())
                .run(context -> assertThat(context)
                        .getFailure()
                        .as("failure of a script")
                        .hasStackTraceContaining("CREATE NONSENSE"));
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
    void shouldKnowAllOfItsProperties(CapturedOutput output) {
        this.fenced
                .withPropertyValues(
                        "distributed-lock.jdbc.fence.data-sources[0]=dataSource",
                        "distributed-lock.jdbc.fence.tableName=tokens",
                        "distributed-lock.jdbc.fence.retention=9d")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("has no effect");
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

    /** Has no DataSource. */
    static class ResourcelessManager extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}

package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.session.SqlSessionFactory;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mybatis.spring.SqlSessionFactoryBean;
import org.mybatis.spring.mapper.MapperFactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.hibernate.HibernateTransactionManager;
import org.springframework.orm.jpa.hibernate.LocalSessionFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Fenced transactions of the libraries by which applications use a database. */
final class PersistenceTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class,
                    DistributedLockFenceAutoConfiguration.class))
            .withPropertyValues(
                    "distributed-lock.store=memory",
                    "distributed-lock.jdbc.fence.enabled=true",
                    "spring.datasource.generate-unique-name=true");

    /** What a library reads and writes. */
    interface Stock {

        long amount();

        void setAmount(long amount);
    }

    @EnableTransactionManagement
    public static class Shop {

        private final Stock stock;

        Shop(Stock stock) {
            this.stock = stock;
        }

        @DistributedLock(name = "stock")
        @Transactional
        public void add(long added, Runnable pause) {
            long amount = this.stock.amount();
            pause.run();
            this.stock.setAmount(amount + added);
        }

        @DistributedLock(name = "stock")
        public long under(Runnable work) {
            work.run();
            return LeaseContext.required().fencingToken();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Jpa.class, Hibernate.class, MyBatis.class})
    void shouldFenceTransactionsInH2(Class<?> library) {
        shouldFenceTransactions(library, this.runner, false);
    }

    @ParameterizedTest
    @ValueSource(classes = {Jpa.class, Hibernate.class, MyBatis.class})
    void shouldNotCommitAfterATransactionExceptionInH2(Class<?> library) {
        shouldNotCommitAfterATransactionException(library, this.runner);
    }

    @Nested
    final class InPostgreSql {

        @BeforeAll
        static void startServer() throws Exception {
            PostgresFenceTest.startServer();
        }

        @AfterAll
        static void stopServer() throws Exception {
            PostgresFenceTest.stopServer();
        }

        @ParameterizedTest
        @ValueSource(classes = {Jpa.class, Hibernate.class, MyBatis.class})
        void shouldFenceTransactions(Class<?> library) {
            PersistenceTest.shouldFenceTransactions(library, postgreSql(), true);
        }

        @ParameterizedTest
        @ValueSource(classes = {Jpa.class, Hibernate.class, MyBatis.class})
        void shouldNotCommitAfterATransactionExceptionWithoutAutoCommit(Class<?> library) {
            shouldNotCommitAfterATransactionException(
                    library, postgreSql().withPropertyValues("spring.datasource.hikari.auto-commit=false"));
        }

        /** As Spring Batch does: the inner commit is that of the connection, and frees the row. */
        @Test
        void shouldLockTheRowAgainAfterATransactionOnTheConnectionOfAnotherOne() {
            postgreSql().withUserConfiguration(Jpa.class, Shop.class).run(context -> {
                DataSource pool = context.getBean(DataSource.class);
                DataSourceTransactionManager batch = new DataSourceTransactionManager(pool);
                Object unused = context.getBean(FenceRegistrar.class).postProcessAfterInitialization(batch, "batch");
                TransactionTemplate outer = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
                JdbcTemplate others = new JdbcTemplate(PostgresFenceTest.server.getPostgresDatabase());
                assertThatThrownBy(() -> context.getBean(Shop.class)
                                .under(() -> outer.executeWithoutResult(status -> {
                                    new TransactionTemplate(batch).executeWithoutResult(inner -> {});
                                    others.update("UPDATE distributed_lock_fence SET token = token + 1");
                                })))
                        .isInstanceOf(TransactionRefusedException.class);
                others.update("DELETE FROM distributed_lock_fence");
            });
        }

        private ApplicationContextRunner postgreSql() {
            return PersistenceTest.this.runner.withPropertyValues(
                    "distributed-lock.jdbc.fence.initialize-schema=always",
                    "spring.datasource.url=" + PostgresFenceTest.server.getJdbcUrl("postgres", "postgres"));
        }
    }

    private static void shouldFenceTransactions(Class<?> library, ApplicationContextRunner runner, boolean sharesRows) {
        runner.withUserConfiguration(library, Shop.class).run(context -> {
            JdbcTemplate database = new JdbcTemplate(context.getBean(DataSource.class));
            database.execute("DROP TABLE IF EXISTS stock");
            database.execute("CREATE TABLE stock (id INT PRIMARY KEY, amount BIGINT)");
            database.update("INSERT INTO stock (id, amount) VALUES (1, 100)");
            Shop shop = context.getBean(Shop.class);
            PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);

            shop.add(
                    10,
                    () -> assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                            .isTrue());
            assertThat(amount(database)).isEqualTo(110);

            assertThatThrownBy(() -> shop.under(() -> {
                        database.update("UPDATE distributed_lock_fence SET token = token + 1");
                        shop.add(10, () -> database.update("UPDATE stock SET amount = 0"));
                    }))
                    .isInstanceOf(LockLostException.class);
            assertThat(amount(database)).isEqualTo(110);
            assertThatNothingIsLeft(context.getBean(HikariDataSource.class));

            TransactionTemplate outer = new TransactionTemplate(manager);
            TransactionTemplate inner = new TransactionTemplate(manager);
            inner.setPropagationBehavior(
                    sharesRows
                            ? TransactionDefinition.PROPAGATION_REQUIRES_NEW
                            : TransactionDefinition.PROPAGATION_REQUIRED);
            long token = shop.under(() -> outer.executeWithoutResult(status -> {
                inner.executeWithoutResult(
                        unused -> context.getBean(Stock.class).setAmount(120));
                status.setRollbackOnly();
            }));
            assertThat(amount(database)).isEqualTo(sharesRows ? 120 : 110);
            assertThat(database.queryForList("SELECT token FROM distributed_lock_fence", Long.class))
                    .as("after the rollback around a commit")
                    .containsExactly(token);
            assertThatNothingIsLeft(context.getBean(HikariDataSource.class));
            database.update("DELETE FROM distributed_lock_fence");
        });
    }

    /** Spring does not roll back then, and the end of the transaction restores auto-commit. */
    private static void shouldNotCommitAfterATransactionException(Class<?> library, ApplicationContextRunner runner) {
        runner.withUserConfiguration(library, Shop.class).run(context -> {
            JdbcTemplate database = new JdbcTemplate(context.getBean(DataSource.class));
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            transaction.executeWithoutResult(status -> {
                database.execute("DROP TABLE IF EXISTS stock");
                database.execute("CREATE TABLE stock (id INT PRIMARY KEY, amount BIGINT)");
                database.update("INSERT INTO stock (id, amount) VALUES (1, 100)");
            });
            assertThatThrownBy(() -> context.getBean(Shop.class)
                            .under(() -> transaction.executeWithoutResult(status -> {
                                context.getBean(Stock.class).setAmount(120);
                                database.update("INSERT INTO stock (id, amount) VALUES (2, 100)");
                                TransactionSynchronizationManager.registerSynchronization(
                                        new TransactionSynchronization() {

                                            @Override
                                            public void beforeCommit(boolean readOnly) {
                                                throw new CannotCreateTransactionException("of an inner one");
                                            }
                                        });
                            })))
                    .isInstanceOf(CannotCreateTransactionException.class);
            assertThat(database.queryForList("SELECT amount FROM stock", Long.class))
                    .containsExactly(100L);
        });
    }

    private static long amount(JdbcTemplate database) {
        return database.queryForObject("SELECT amount FROM stock", Long.class);
    }

    private static void assertThatNothingIsLeft(HikariDataSource pool) {
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    // ---- Libraries

    @Configuration(proxyBeanMethods = false)
    static class Jpa {

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setPackagesToScan(Row.class.getPackageName());
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            return factory;
        }

        @Bean
        JpaTransactionManager manager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        Stock stock(EntityManagerFactory factory) {
            EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
            return new EntityStock(() -> entities);
        }
    }

    /** In a transaction. A session of Hibernate is an entity manager. */
    private record EntityStock(Supplier<? extends EntityManager> entities) implements Stock {

        @Override
        public long amount() {
            return this.entities.get().find(Row.class, 1).amount;
        }

        @Override
        public void setAmount(long amount) {
            this.entities.get().find(Row.class, 1).amount = amount;
        }
    }

    @Entity
    @Table(name = "stock")
    static class Row {

        @Id
        int id;

        long amount;
    }

    @Configuration(proxyBeanMethods = false)
    static class Hibernate {

        @Bean
        LocalSessionFactoryBean sessionFactory(DataSource dataSource) {
            LocalSessionFactoryBean factory = new LocalSessionFactoryBean();
            factory.setDataSource(dataSource);
            factory.setAnnotatedClasses(Row.class);
            return factory;
        }

        @Bean
        HibernateTransactionManager manager(SessionFactory factory) {
            return new HibernateTransactionManager(factory);
        }

        @Bean
        Stock stock(SessionFactory sessions) {
            return new EntityStock(sessions::getCurrentSession);
        }
    }

    @Mapper
    interface StockMapper extends Stock {

        @Override
        @Select("SELECT amount FROM stock WHERE id = 1")
        long amount();

        @Override
        @Update("UPDATE stock SET amount = #{amount} WHERE id = 1")
        void setAmount(long amount);
    }

    @Configuration(proxyBeanMethods = false)
    static class MyBatis {

        @Bean
        JdbcTransactionManager manager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        SqlSessionFactoryBean sessions(DataSource dataSource) {
            SqlSessionFactoryBean sessions = new SqlSessionFactoryBean();
            sessions.setDataSource(dataSource);
            return sessions;
        }

        @Bean
        MapperFactoryBean<StockMapper> stock(SqlSessionFactory sessions) {
            MapperFactoryBean<StockMapper> mapper = new MapperFactoryBean<>(StockMapper.class);
            mapper.setSqlSessionFactory(sessions);
            return mapper;
        }
    }
}

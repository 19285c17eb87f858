package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.text.LoggedNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with one database, a pool of connections and fenced transactions. */
final class FencedApplication implements AutoCloseable {

    static final LockRequest ORDER = LockRequest.of("order:1");

    final HikariDataSource pool;

    final JdbcTemplate jdbc;

    final LeasingLockRegistry locks;

    final DataSourceTransactionManager manager;

    final FenceTable table;

    final List<TransactionRefusedEvent> events = new CopyOnWriteArrayList<>();

    /** Time by which the fence believes that it is later. */
    volatile Duration passed = Duration.ZERO;

    private final FenceReports reports;

    final FenceTables tables;

    /** Statements beside the pool, each in a transaction of its own. */
    final JdbcTemplate others;

    FencedApplication(DataSource database) {
        this(database, true, Duration.ofSeconds(10));
    }

    FencedApplication(DataSource database, boolean atGrant, Duration lockTimeout) {
        this(
                database,
                new LeasingLockRegistry(
                        new InMemoryLockStore(), LockSettings.of(Duration.ofSeconds(30)), null, List.of()),
                true,
                atGrant,
                lockTimeout);
    }

    /** Creates an application with locks of its own. It stops them. */
    FencedApplication(DataSource database, LeasingLockRegistry locks, boolean isFenced) {
        this(database, locks, isFenced, true, Duration.ofSeconds(10));
    }

    private FencedApplication(
            DataSource database, LeasingLockRegistry locks, boolean isFenced, boolean atGrant, Duration lockTimeout) {
        this.others = new JdbcTemplate(database);
        HikariConfig config = new HikariConfig();
        config.setDataSource(database);
        config.setMaximumPoolSize(4);
        this.pool = new HikariDataSource(config);
        this.jdbc = new JdbcTemplate(this.pool);
        this.locks = locks;
        this.reports = new FenceReports(event -> this.events.add((TransactionRefusedEvent) event), null);
        TransactionFence fence = new TransactionFence(() -> System.nanoTime() + this.passed.toNanos());
        this.tables = new FenceTables(
                Map.of("pool", this.pool),
                properties(lockTimeout),
                tables -> fence.start(
                        tables, new TransactionFence.Settings("shop", LoggedNames.WITH_KEYS, atGrant), this.reports));
        this.tables.afterPropertiesSet();
        this.table = this.tables.all().iterator().next();
        this.manager = new DataSourceTransactionManager(this.pool);
        if (isFenced) {
            FenceRegistrar registrar = new FenceRegistrar(fence);
            registrar.postProcessAfterInitialization(this.locks, "locks");
            registrar.postProcessAfterInitialization(this.manager, "manager");
        }
        this.jdbc.execute("DELETE FROM distributed_lock_fence");
    }

    FenceCleanUp cleanUp() {
        return cleanUp(this.locks);
    }

    /** Returns a clean-up under a lock of that registry. */
    FenceCleanUp cleanUp(LockRegistry registry) {
        return new FenceCleanUp(registry, this.tables, "shop", Duration.ofDays(30));
    }

    static FenceProperties properties(Duration lockTimeout) {
        return new FenceProperties(
                true,
                List.of(),
                DatabaseInitializationMode.ALWAYS,
                "classpath:io/github/lockstarter/jdbc/schema-@@platform@@.sql",
                null,
                FenceProperties.TABLE,
                lockTimeout,
                Duration.ofDays(30),
                true);
    }

    TransactionTemplate transaction() {
        return new TransactionTemplate(this.manager);
    }

    TransactionTemplate newTransaction() {
        TransactionTemplate template = transaction();
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return template;
    }

    static byte[] key() {
        return ("shop:{" + ORDER.lockName() + '}').getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the token in the row of the lock as others see it; 0: there is no row. */
    long stored() {
        return this.others
                .queryForList("SELECT token FROM distributed_lock_fence WHERE name = ?", Long.class, key())
                .stream()
                .findFirst()
                .orElse(0L);
    }

    /** Waits for the one event of a refusal, and returns its outcome. */
    FenceOutcome refusal() {
        await().until(() -> !this.events.isEmpty());
        assertThat(this.events).hasSize(1);
        return this.events.get(0).outcome();
    }

    /** Does what the transaction of the next owner does. */
    void letTheNextOwnerCommit(long itsToken) {
        this.others.update("DELETE FROM distributed_lock_fence WHERE name = ?", key());
        this.others.update(
                "INSERT INTO distributed_lock_fence (name, token, raised_at) VALUES (?, ?, ?)",
                key(),
                itsToken,
                System.currentTimeMillis() * 1000);
    }

    @Override
    public void close() {
        this.locks.stop();
        this.reports.destroy();
        this.pool.close();
    }
}

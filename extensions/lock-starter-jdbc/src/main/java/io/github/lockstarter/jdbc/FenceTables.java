package io.github.lockstarter.jdbc;

import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.Printable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The tables of the databases of an application, which are created and checked at the start. Thread-safe. */
final class FenceTables implements InitializingBean {

    private static final LockLog logger = LockLog.of(FenceTables.class);

    private static final String MARIADB = "org.mariadb.jdbc.Connection";

    private final Map<String, DataSource> dataSources;

    private final FenceProperties properties;

    private final Consumer<FenceTables> whenCreated;

    /** The tables by DataSource without its proxies. The map is not changed after the start. */
    private final IdentityHashMap<DataSource, FenceTable> tables = new IdentityHashMap<>();

    private List<FenceTable> all = List.of();

    /**
     * Creates the tables.
     *
     * @param dataSources by the names of their beans
     * @param whenCreated called when all tables can be used
     */
    FenceTables(Map<String, DataSource> dataSources, FenceProperties properties, Consumer<FenceTables> whenCreated) {
        this.dataSources = dataSources;
        this.properties = properties;
        this.whenCreated = whenCreated;
    }

    @Override
    public void afterPropertiesSet() {
        List<String> missing = new ArrayList<>(this.properties.dataSources());
        missing.removeAll(this.dataSources.keySet());
        if (this.dataSources.isEmpty() || !missing.isEmpty()) {
            throw new IllegalStateException(Printable.of(FenceProperties.PREFIX
                    + (missing.isEmpty()
                            ? "enabled is true, but there is no DataSource bean."
                            : "data-sources names " + missing + ", but the DataSource beans are "
                                    + this.dataSources.keySet() + '.')));
        }
        Map<String, FenceTable> byDatabase = new LinkedHashMap<>();
        this.dataSources.forEach((name, dataSource) -> {
            boolean isNamed = this.properties.dataSources().contains(name);
            DataSource target = target(dataSource);
            if (target instanceof AbstractRoutingDataSource && !isNamed) {
                logger.warn("Transactions of DataSource bean '" + name
                        + "' are not fenced, because it routes to others. If all of"
                        + " them write to one database, list it in " + FenceProperties.PREFIX + "data-sources.");
            } else if (isNamed || this.properties.dataSources().isEmpty()) {
                this.tables.computeIfAbsent(target, key -> create(name, key, byDatabase));
            }
        });
        this.all = List.copyOf(byDatabase.values());
        this.whenCreated.accept(this);
    }

    /** Returns the same table for several pools of one database, because they wait for each other's transactions. */
    private FenceTable create(String name, DataSource dataSource, Map<String, FenceTable> byDatabase) {
        String database = "DataSource bean '" + name + '\'';
        try {
            FenceDialect dialect;
            String url;
            // Closed before the next one is opened, because a pool may have only one.
            try (Connection connection = dataSource.getConnection()) {
                dialect = dialect(database, connection);
                requireNoReplay(database, connection);
                url = identity(connection);
            }
            FenceTable table = new FenceTable(
                    dataSource,
                    dialect,
                    this.properties.tableName(),
                    this.properties.lockTimeout(),
                    this.properties.retention());
            createSchema(dataSource, dialect, table);
            logger.info("Transactions of " + database + " are fenced by " + table + '.');
            FenceTable present = byDatabase.putIfAbsent(url, table);
            return present != null ? present : table;
        } catch (SQLException | DataAccessException ex) {
            throw new InvalidLockDefinitionException(
                    Printable.of("Transactions of " + database + " cannot be fenced: table '"
                            + this.properties.tableName()
                            + "' cannot be used: " + ex.getMessage() + '.'),
                    Printable.of("Create the table, by " + FenceProperties.PREFIX
                            + "initialize-schema=always or by the script of "
                            + FenceProperties.PREFIX
                            + "schema, and grant SELECT, INSERT, UPDATE and DELETE; or list the"
                            + " DataSource beans that are to be fenced in " + FenceProperties.PREFIX
                            + "data-sources: those that"
                            + " transaction managers use" + routers() + '.'),
                    ex);
        }
    }

    /** Returns the routers among the beans, as part of a remedy; empty: there is none. */
    private String routers() {
        List<String> routers = this.dataSources.entrySet().stream()
                .filter(each -> target(each.getValue()) instanceof AbstractRoutingDataSource)
                .map(Map.Entry::getKey)
                .toList();
        return routers.isEmpty() ? "" : ", here the router " + routers + " and not the DataSources to which it routes";
    }

    /** Returns what is the same for all pools that use the same table. */
    private String identity(Connection connection) throws SQLException {
        // The parameters of the URL are removed.
        String url = connection.getMetaData().getURL().replaceFirst("[?;].*", "");
        // A qualified name does not depend on the schema, which is in the URL of MariaDB and MySQL.
        boolean isQualified = this.properties.tableName().contains(".");
        return isQualified
                ? url.replaceFirst("^(jdbc:(?:mariadb|mysql)://[^/]*)/.*", "$1")
                : url + ' ' + connection.getCatalog() + ' ' + connection.getSchema();
    }

    /**
     * Such a driver repeats statements after a failover without looking at their results, and so a raise that is
     * refused then.
     */
    private static void requireNoReplay(String database, Connection connection) throws SQLException {
        boolean isReplayed = connection.getMetaData().getURL().contains("transactionReplay=true");
        ClassLoader classes = FenceTables.class.getClassLoader();
        if (ClassUtils.isPresent(MARIADB, classes)) {
            Class<?> driver = ClassUtils.resolveClassName(MARIADB, classes);
            Object target = connection.isWrapperFor(driver) ? connection.unwrap(driver) : null;
            Object configuration = invoke(invoke(target, "getContext"), "getConf");
            isReplayed |= Boolean.TRUE.equals(invoke(configuration, "transactionReplay"));
        }
        if (isReplayed) {
            throw new InvalidLockDefinitionException(
                    Printable.of(
                            "Transactions of " + database
                                    + " cannot be fenced: transactionReplay is true. The driver repeats the statements of a"
                                    + " transaction after a failover, and does not notice that the repeated one of the fence is refused."),
                    "Remove transactionReplay from the URL or the properties of the pool.",
                    null);
        }
    }

    private static @Nullable Object invoke(@Nullable Object target, String name) {
        Method method = target != null ? ReflectionUtils.findMethod(target.getClass(), name) : null;
        if (method == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(method);
        return ReflectionUtils.invokeMethod(method, target);
    }

    /** A table that can be used is enough: another instance may be creating it, or this user may not create tables. */
    private void createSchema(DataSource dataSource, FenceDialect dialect, FenceTable table) throws SQLException {
        DataAccessException failure = null;
        try {
            new Schema(dataSource, dialect, this.properties).initializeDatabase();
        } catch (DataAccessException ex) {
            failure = ex;
        }
        try {
            table.check();
        } catch (SQLException ex) {
            if (failure != null) {
                failure.addSuppressed(ex);
                throw failure;
            }
            throw ex;
        }
    }

    private static FenceDialect dialect(String database, Connection connection) throws SQLException {
        FenceDialect dialect = FenceDialect.of(connection.getMetaData());
        if (dialect == null) {
            throw new InvalidLockDefinitionException(
                    Printable.of("Transactions of " + database + " cannot be fenced: "
                            + connection.getMetaData().getDatabaseProductName()
                            + " is none of PostgreSQL, MariaDB, MySQL and H2."),
                    "List the DataSource beans that are to be fenced in " + FenceProperties.PREFIX
                            + "data-sources, or set " + FenceProperties.PREFIX + "enabled to false.",
                    null);
        }
        return dialect;
    }

    /** Returns the table of a database, or {@code null} if its transactions are not fenced. */
    @Nullable
    FenceTable find(DataSource dataSource) {
        return this.tables.get(target(dataSource));
    }

    List<FenceTable> all() {
        return this.all;
    }

    private static DataSource target(DataSource dataSource) {
        DataSource target = dataSource;
        while (target instanceof TransactionAwareDataSourceProxy || target instanceof LazyConnectionDataSourceProxy) {
            target = ((DelegatingDataSource) target).getTargetDataSource();
        }
        return Objects.requireNonNull(target);
    }

    /** Creates the table by a script, in which the default name stands for the configured one. */
    private static final class Schema extends DataSourceScriptDatabaseInitializer {

        private final String tableName;

        Schema(DataSource dataSource, FenceDialect dialect, FenceProperties properties) {
            super(dataSource, settings(dialect, properties));
            this.tableName = properties.tableName();
        }

        private static DatabaseInitializationSettings settings(FenceDialect dialect, FenceProperties properties) {
            String platform = properties.platform() != null ? properties.platform() : dialect.platform();
            DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
            settings.setSchemaLocations(List.of(properties.schema().replace("@@platform@@", platform)));
            settings.setMode(properties.initializeSchema());
            return settings;
        }

        @Override
        protected void runScripts(Scripts scripts) {
            List<Resource> named = new ArrayList<>();
            for (Resource script : scripts) {
                try {
                    String text = script.getContentAsString(StandardCharsets.UTF_8);
                    named.add(new ByteArrayResource(
                            text.replace(FenceProperties.TABLE, this.tableName).getBytes(StandardCharsets.UTF_8),
                            script.getDescription()));
                } catch (IOException ex) {
                    throw new UncheckedIOException(ex);
                }
            }
            super.runScripts(new Scripts(named).encoding(StandardCharsets.UTF_8));
        }
    }
}

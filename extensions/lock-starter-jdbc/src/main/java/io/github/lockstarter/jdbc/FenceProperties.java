package io.github.lockstarter.jdbc;

import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Properties of transactions that fence themselves. Times without a unit are in milliseconds.
 *
 * @param enabled Whether transactions check the fencing tokens of the locks that their thread holds.
 * @param dataSources Names of the DataSource beans whose transactions are fenced. Empty: all.
 * @param initializeSchema Whether the table is created at the start.
 * @param schema Location of the script that creates the table; {@code @@platform@@} stands for the platform.
 * @param platform Platform in the location of the script. By default, that of the database.
 * @param tableName Name of the table. Two Redis servers with the same key prefix need different tables.
 * @param lockTimeout Longest time for which a grant or the begin of a transaction waits for transactions of other
 *     owners.
 * @param retention Time for which a row is needed. It must exceed the longest time for which a lock is held.
 * @param atGrant Whether the token is raised when a lock is granted outside of a transaction, so that what is read
 *     before the first transaction is protected.
 */
@ConfigurationProperties("distributed-lock.jdbc.fence")
record FenceProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue List<String> dataSources,
        @DefaultValue("embedded") DatabaseInitializationMode initializeSchema,

        @DefaultValue("classpath:io/github/lockstarter/jdbc/schema-@@platform@@.sql")
        String schema,

        @Nullable String platform,
        @DefaultValue("distributed_lock_fence") String tableName,
        @DefaultValue("10s") Duration lockTimeout,
        @DefaultValue("30d") Duration retention,
        @DefaultValue("true") boolean atGrant) {

    static final String PREFIX = "distributed-lock.jdbc.fence.";

    /** The default, which scripts use. */
    static final String TABLE = "distributed_lock_fence";

    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);

    private static final Duration MIN_RETENTION = Duration.ofHours(1);

    private static final Duration LONGEST = Duration.ofDays(3660);

    FenceProperties {
        // It becomes part of statements.
        if (!tableName.matches("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?")) {
            throw new IllegalArgumentException(Printable.of(PREFIX
                    + "table-name must be a name of letters, digits and _, after a schema and a point if needed, but is '"
                    + tableName + "'."));
        }
        require("lock-timeout", lockTimeout, MIN_TIMEOUT);
        require("retention", retention, MIN_RETENTION);
    }

    private static void require(String name, Duration value, Duration least) {
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(Printable.of(PREFIX + name + " must be at least " + least
                    + " and at most " + LONGEST + ", but is " + value + '.'));
        }
    }
}

package io.github.lockstarter.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The statements of one database. Times are microseconds since 1970 by the clock of the database, which the statement
 * reads itself: a value that the client has bound could be older than a pause. Immutable.
 */
enum FenceDialect {
    POSTGRESQL("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)") {

        /**
         * The time-out is set, and its former value restored, in the round trip of the statement. If the statement
         * fails, the transaction is aborted and its end restores the value.
         */
        @Override
        String raise(String table, long timeoutMillis) {
            return withTimeout(
                    "INSERT INTO " + table + " (name, token, raised_at) SELECT v.n, v.t, " + clock()
                            + " FROM (VALUES (CAST(? AS BYTEA), CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v(n, t, r)"
                            + " WHERE v.t >= " + clock() + " - v.r"
                            + " ON CONFLICT (name) DO UPDATE SET token = excluded.token, raised_at = excluded.raised_at"
                            + " WHERE " + table + ".token <= excluded.token",
                    timeoutMillis);
        }

        /** Setting the time-out costs more than the lock: it is needed only if another transaction has locked a row. */
        @Override
        String lockFree(String table, int rows) {
            return select(table, rows) + " FOR SHARE SKIP LOCKED";
        }

        @Override
        String lock(String table, int rows, long timeoutMillis) {
            return withTimeout(select(table, rows) + " FOR SHARE", timeoutMillis);
        }

        private static String withTimeout(String statement, long timeoutMillis) {
            return "SELECT set_config('lock_starter.lock_timeout', current_setting('lock_timeout'), true),"
                    + " set_config('lock_timeout', '" + timeoutMillis + "ms', true); " + statement
                    + "; SELECT set_config('lock_timeout', current_setting('lock_starter.lock_timeout'), true)";
        }

        @Override
        boolean isAccepted(PreparedStatement statement, long token) throws SQLException {
            boolean isAccepted = false;
            for (boolean isRows = statement.execute();
                    isRows || statement.getUpdateCount() >= 0;
                    isRows = statement.getMoreResults()) {
                isAccepted |= !isRows && statement.getUpdateCount() == 1;
            }
            return isAccepted;
        }
    },

    MARIADB("TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))") {

        /** An update of a row that may be absent would lock the gap, and deadlock with inserts of other rows. */
        @Override
        String raise(String table, long timeoutMillis) {
            return "SET STATEMENT innodb_lock_wait_timeout=" + seconds(timeoutMillis) + " FOR "
                    + "INSERT INTO " + table + " (name, token, raised_at) SELECT v.n, v.t, " + clock()
                    + " FROM (SELECT ? AS n, ? AS t, ? AS r) v WHERE v.t >= " + clock() + " - v.r"
                    // Assigned from left to right: the token is the former one until it is assigned.
                    + " ON DUPLICATE KEY UPDATE raised_at = IF(token <= VALUES(token), VALUES(raised_at), raised_at),"
                    + " token = GREATEST(token, VALUES(token)) RETURNING token";
        }

        @Override
        String lock(String table, int rows, long timeoutMillis) {
            return select(table, rows) + " LOCK IN SHARE MODE WAIT " + seconds(timeoutMillis);
        }

        @Override
        boolean isAccepted(PreparedStatement statement, long token) throws SQLException {
            // The number of rows is the same for an insert and a refusal.
            if (!statement.execute()) {
                return false;
            }
            ResultSet rows = statement.getResultSet();
            return rows.next() && rows.getLong(1) == token;
        }
    },

    /** The statement was run on MariaDB with MySQL's driver. */
    MYSQL(MARIADB.clock()) {

        @Override
        String raise(String table, long timeoutMillis) {
            return "INSERT /*+ SET_VAR(innodb_lock_wait_timeout=" + seconds(timeoutMillis) + ") */ INTO " + table
                    + " (name, token, raised_at) SELECT v.n, v.t, " + clock()
                    + " FROM (SELECT ? AS n, ? AS t, ? AS r) v WHERE v.t >= " + clock() + " - v.r"
                    + " ON DUPLICATE KEY UPDATE"
                    + " raised_at = IF(" + table + ".token <= v.t, " + clock() + ", " + table + ".raised_at),"
                    + " token = GREATEST(" + table + ".token, v.t)";
        }

        @Override
        boolean isAccepted(PreparedStatement statement, long token) throws SQLException {
            statement.execute();
            // Its count depends on a property of the connection. The row is locked, and read as it is now.
            return false;
        }

        @Override
        String lock(String table, int rows, long timeoutMillis) {
            return select(table, rows)
                            .replaceFirst(
                                    "SELECT",
                                    "SELECT /*+ SET_VAR(innodb_lock_wait_timeout=" + seconds(timeoutMillis) + ") */")
                    + " LOCK IN SHARE MODE";
        }

        /** MariaDB ignores the hint in the statement. */
        @Override
        void limit(PreparedStatement statement, int seconds) throws SQLException {
            statement.setQueryTimeout(seconds);
        }
    },

    H2("CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)") {

        @Override
        String raise(String table, long timeoutMillis) {
            return "MERGE INTO " + table + " t USING (SELECT * FROM (VALUES (CAST(? AS VARBINARY), CAST(? AS BIGINT),"
                    + " CAST(? AS BIGINT))) AS v(n, t, r) WHERE v.t >= " + clock() + " - v.r) s ON (t.name = s.n)"
                    + " WHEN MATCHED AND t.token <= s.t THEN UPDATE SET token = s.t, raised_at = " + clock()
                    + " WHEN NOT MATCHED THEN INSERT (name, token, raised_at) VALUES (s.n, s.t, " + clock() + ")";
        }

        /** H2 has no shared locks of rows. */
        @Override
        String lock(String table, int rows, long timeoutMillis) {
            return select(table, rows) + " FOR UPDATE";
        }

        @Override
        boolean isAccepted(PreparedStatement statement, long token) throws SQLException {
            return statement.executeUpdate() == 1;
        }

        @Override
        long setTimeout(Connection connection, long millis) throws SQLException {
            try (var statement = connection.createStatement();
                    ResultSet former = statement.executeQuery("SELECT LOCK_TIMEOUT()")) {
                boolean unused = former.next();
                long before = former.getLong(1);
                restoreTimeout(connection, millis);
                return before;
            }
        }

        @Override
        void restoreTimeout(Connection connection, long millis) throws SQLException {
            try (var statement = connection.createStatement()) {
                statement.execute("SET LOCK_TIMEOUT " + millis);
            }
        }
    };

    private static final int MAX_ROWS = 100;

    private final String clock;

    FenceDialect(String clock) {
        this.clock = clock;
    }

    /** Returns the dialect of the database, or {@code null} if it is none of these. */
    static @Nullable FenceDialect of(DatabaseMetaData database) throws SQLException {
        String product = database.getDatabaseProductName().toLowerCase(Locale.ROOT);
        for (FenceDialect dialect : values()) {
            if (product.equals(dialect.platform())) {
                return dialect;
            }
        }
        return null;
    }

    /** Returns the name that Spring Boot has for the database, as in the names of scripts. */
    String platform() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the expression for the present time. */
    String clock() {
        return this.clock;
    }

    /**
     * Returns the statement that raises a token. It changes nothing if a larger token is stored, or if the token is
     * older than the retention.
     *
     * <p>Parameters: the key, the token, the retention in microseconds.
     *
     * @param timeoutMillis how long it may wait for another transaction
     */
    abstract String raise(String table, long timeoutMillis);

    /** Executes that statement, and returns whether it shows that the token was raised. Otherwise the row does. */
    abstract boolean isAccepted(PreparedStatement statement, long token) throws SQLException;

    /**
     * Returns the statement for a row that is present: raises the token however old it is. Parameters: token, key,
     * token.
     */
    String raisePresent(String table) {
        return "UPDATE " + table + " SET token = ?, raised_at = " + clock() + " WHERE name = ? AND token <= ?";
    }

    /**
     * Returns the statement that locks rows, shared if the database can, and returns their names and tokens as they are
     * then. Parameters: the keys.
     *
     * @param rows number of keys
     * @param timeoutMillis how long it may wait for another transaction
     */
    abstract String lock(String table, int rows, long timeoutMillis);

    /**
     * Returns a cheaper statement that does the same for rows which no other transaction has locked exclusively, and
     * skips the others, or {@code null} if the database has none.
     */
    @Nullable
    String lockFree(String table, int rows) {
        return null;
    }

    /** Returns the query for the names and tokens of rows. */
    private static String select(String table, int rows) {
        return "SELECT name, token FROM " + table + " WHERE " + nameIsOneOf(rows) + (rows > 1 ? " ORDER BY name" : "");
    }

    /** Returns the condition that a row has one of some keys, which are its parameters. */
    static String nameIsOneOf(int keys) {
        return "name IN (" + String.join(", ", Collections.nCopies(keys, "?")) + ')';
    }

    /**
     * Returns how many rows one statement locks. InnoDB locks each row that it reads, and reads all of a small table
     * for several keys.
     */
    int rowsAtATime() {
        return this == MARIADB || this == MYSQL ? 1 : MAX_ROWS;
    }

    /** Returns whether several transactions can lock a row at the same time. */
    boolean sharesRows() {
        return this != H2;
    }

    /**
     * Returns whether a transaction can lose its locks and go on: by DDL, which commits it, or as the victim of a
     * deadlock, which rolls it back. PostgreSQL rejects all statements then.
     */
    boolean losesLocks() {
        return this != POSTGRESQL;
    }

    /**
     * Returns whether a transaction at REPEATABLE READ can change rows that another one has changed since its snapshot.
     */
    boolean writesToOldSnapshots() {
        return this == MARIADB || this == MYSQL;
    }

    /** At least one second, because zero means to fail immediately. */
    private static long seconds(long millis) {
        return Math.max(1, (millis + 999) / 1000);
    }

    /** Limits the time of the statement that {@link #raise} returns, where its text cannot. */
    void limit(PreparedStatement statement, int seconds) throws SQLException {}

    /** Sets the time-out of the connection where the statement cannot, and returns the former one. */
    long setTimeout(Connection connection, long millis) throws SQLException {
        return 0;
    }

    /** Sets the time-out that {@link #setTimeout} has returned. */
    void restoreTimeout(Connection connection, long millis) throws SQLException {}
}

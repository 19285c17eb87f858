package io.github.lockstarter.jdbc;

import io.github.lockstarter.text.LockLog;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The table of one database with the largest token that a transaction has raised, for each lock. Thread-safe.
 */
final class FenceTable {

    /*
     * Implementation note.
     *
     * The token of a lock is raised in one row, at the grant, and each transaction of the owner locks the row that has
     * its token until it ends. So an owner that raises its token waits for the transactions of earlier owners, and
     * these are refused afterwards, whatever the isolation level: the statement decides by the row as it is now, or
     * fails in a database that decides by a snapshot. Transactions of one owner share the lock. One may therefore begin
     * while another one is suspended.
     *
     * Rows are deleted when they have not been raised for twice the retention. A token that is older than the retention
     * is therefore accepted only if its row is present: an absent row may be that of a later owner which was deleted.
     * Let a be the token of a late owner, b > a that of the next one, raised at a time of at least b, and deleted at d.
     * Then b < d - 2r. Were a accepted without a row at i > d, a >= i - r > d - r > b + r. The r that is left is for
     * the difference between the clocks of Redis, from which tokens come, and of the database, which decides alone: its
     * clock must not step back by more than r.
     */

    /** Answers of the database. */
    enum Outcome {
        /** The token was raised, or was stored already. The row is locked until the transaction ends. */
        ACCEPTED,
        /** A larger token is stored. The row may be locked until the transaction ends. */
        REFUSED,
        /** The token is older than the retention, and there is no row. */
        TOO_OLD
    }

    /** A state that other transactions have caused, and in which a new transaction can succeed. */
    private static final String SERIALIZATION_FAILURE = "40001";

    private static final String DEADLOCK = "40P01";

    private static final String DUPLICATE_KEY = "23505";

    /** PostgreSQL: lock_timeout, and a query that was canceled; MariaDB: a query that was canceled; H2. */
    private static final Set<String> TIMEOUTS = Set.of("55P03", "57014", "70100", "HYT00");

    private static final int INNODB_LOCK_WAIT_TIMEOUT = 1205;

    private static final int MARIADB_CHANGED_SINCE_READ = 1020;

    private static final int BATCH = 500;

    private static final LockLog logger = LockLog.of(FenceTable.class);

    private final DataSource dataSource;

    private final FenceDialect dialect;

    private final String table;

    private final Duration lockTimeout;

    private final Duration retention;

    // Statements

    private final String raisePresent;

    private final String read;

    /** Isolation of transactions that set none. Written at the start. */
    private volatile int defaultIsolation;

    /**
     * Creates the table, which must exist.
     *
     * @param dataSource not a proxy that joins transactions
     * @param lockTimeout how long a statement waits for another transaction
     * @param retention a token that is older needs a row
     */
    FenceTable(DataSource dataSource, FenceDialect dialect, String table, Duration lockTimeout, Duration retention) {
        this.dataSource = dataSource;
        this.dialect = dialect;
        this.table = table;
        this.lockTimeout = lockTimeout;
        this.retention = retention;
        this.raisePresent = dialect.raisePresent(table);
        this.read = "SELECT token, raised_at, " + dialect.clock() + " FROM " + table + " WHERE name = ? FOR UPDATE";
    }

    Duration lockTimeout() {
        return this.lockTimeout;
    }

    Duration retention() {
        return this.retention;
    }

    /** Returns the table and the database, for messages. */
    @Override
    public String toString() {
        return "table " + this.table + " (" + this.dialect.platform() + ')';
    }

    /** Returns whether the transaction of the thread decides to which database a connection leads. */
    boolean isRouted() {
        return this.dataSource instanceof AbstractRoutingDataSource;
    }

    /**
     * Returns what a transaction of this thread has bound to the DataSource, or {@code null} if it has bound nothing.
     */
    @Nullable
    Object boundResource() {
        return TransactionSynchronizationManager.getResource(this.dataSource);
    }

    /** Returns whether several transactions can lock a row at the same time. */
    boolean sharesRows() {
        return this.dialect.sharesRows();
    }

    /** Returns whether a transaction can lose its locks and go on. */
    boolean losesLocks() {
        return this.dialect.losesLocks();
    }

    /**
     * Locks rows until the transaction of the connection ends.
     *
     * @param timeout how long each statement waits for other transactions
     * @return the tokens of the rows, in the order of the keys; 0 for a row that is absent
     * @throws SQLException if they are not known. The transaction must not commit then
     */
    long[] lock(Connection connection, List<byte[]> keys, Duration timeout) throws SQLException {
        long[] tokens = new long[keys.size()];
        int step = this.dialect.rowsAtATime();
        for (int from = 0; from < tokens.length; from += step) {
            List<byte[]> part = keys.subList(from, Math.min(from + step, tokens.length));
            int found = 0;
            String free = this.dialect.lockFree(this.table, part.size());
            if (free != null) {
                try (PreparedStatement statement = connection.prepareStatement(free)) {
                    found = read(statement, part, tokens, from);
                }
            }
            if (found < part.size()) {
                lockOrWait(connection, part, timeout, tokens, from);
            }
        }
        return tokens;
    }

    private void lockOrWait(Connection connection, List<byte[]> keys, Duration timeout, long[] tokens, int from)
            throws SQLException {
        long former = this.dialect.setTimeout(connection, timeout.toMillis());
        try (PreparedStatement statement =
                connection.prepareStatement(this.dialect.lock(this.table, keys.size(), timeout.toMillis()))) {
            this.dialect.limit(statement, seconds(timeout));
            int unused = read(statement, keys, tokens, from);
        } finally {
            this.dialect.restoreTimeout(connection, former);
        }
    }

    /**
     * Executes a statement that locks rows, and returns the number of rows. One of its queries returns names and
     * tokens.
     */
    private static int read(PreparedStatement statement, List<byte[]> keys, long[] tokens, int from)
            throws SQLException {
        for (int i = 0; i < keys.size(); i++) {
            statement.setBytes(i + 1, keys.get(i));
        }
        int found = 0;
        for (boolean isQuery = statement.execute();
                isQuery || statement.getUpdateCount() >= 0;
                isQuery = statement.getMoreResults()) {
            ResultSet rows = isQuery ? statement.getResultSet() : null;
            if (rows != null && rows.getMetaData().getColumnName(1).equalsIgnoreCase("name")) {
                for (; rows.next(); found++) {
                    byte[] key = rows.getBytes(1);
                    for (int i = 0; i < keys.size(); i++) {
                        if (Arrays.equals(keys.get(i), key)) {
                            tokens[from + i] = rows.getLong(2);
                        }
                    }
                }
            }
        }
        return found;
    }

    /**
     * Raises the token of a lock, in the transaction of the connection.
     *
     * @param key identifies the lock
     * @param timeout how long it waits for other transactions
     * @throws SQLException if it is not known whether the token was raised. The transaction must not commit then
     */
    Outcome raise(Connection connection, byte[] key, long token, Duration timeout) throws SQLException {
        long former = this.dialect.setTimeout(connection, timeout.toMillis());
        try {
            try (PreparedStatement statement =
                    connection.prepareStatement(this.dialect.raise(this.table, timeout.toMillis()))) {
                this.dialect.limit(statement, seconds(timeout));
                statement.setBytes(1, key);
                statement.setLong(2, token);
                statement.setLong(3, micros(this.retention));
                if (this.dialect.isAccepted(statement, token)) {
                    return Outcome.ACCEPTED;
                }
            }
            return outcome(connection, key, token, timeout);
        } finally {
            this.dialect.restoreTimeout(connection, former);
        }
    }

    /** Reads the row, which it locks, and raises the token if that was not done because of its age. */
    private Outcome outcome(Connection connection, byte[] key, long token, Duration timeout) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(this.read)) {
            // Another transaction may have locked the row.
            statement.setQueryTimeout(seconds(timeout));
            statement.setBytes(1, key);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return Outcome.TOO_OLD;
                }
                long stored = row.getLong(1);
                if (stored > token) {
                    return Outcome.REFUSED;
                }
                if (stored == token && row.getLong(2) > row.getLong(3) - micros(this.retention)) {
                    return Outcome.ACCEPTED;
                }
            }
        }
        return raisePresent(connection, key, token) ? Outcome.ACCEPTED : Outcome.REFUSED;
    }

    private boolean raisePresent(Connection connection, byte[] key, long token) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(this.raisePresent)) {
            statement.setLong(1, token);
            statement.setBytes(2, key);
            statement.setLong(3, token);
            return statement.executeUpdate() == 1;
        }
    }

    private static int seconds(Duration timeout) {
        return (int) Math.min(Integer.MAX_VALUE, timeout.plusMillis(999).toSeconds());
    }

    /**
     * Deletes rows that were not raised for twice the retention, of locks with a key prefix. They are found without
     * locks, in the order of their keys, so that one pass over the primary key is sufficient and no index has to be
     * kept at each raise. A batch is one transaction: a commit for each row would take hundreds of times as long.
     *
     * @param prefix with which the keys begin; its last byte is not 0xFF
     * @param goesOn asked before each batch
     * @return the number of rows
     */
    int deleteOld(byte[] prefix, BooleanSupplier goesOn) throws SQLException {
        byte[] end = prefix.clone();
        end[end.length - 1]++;
        String isOld = "raised_at < " + this.dialect.clock() + " - " + micros(this.retention.multipliedBy(2));
        int deleted = 0;
        byte[] last = prefix;
        try (Connection connection = open()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try (PreparedStatement search = connection.prepareStatement("SELECT name, " + isOld + " FROM " + this.table
                    + " WHERE name > ? AND name < ? ORDER BY name LIMIT " + BATCH)) {
                List<byte[]> old = new ArrayList<>();
                int found;
                do {
                    old.clear();
                    found = 0;
                    search.setBytes(1, last);
                    search.setBytes(2, end);
                    try (ResultSet rows = search.executeQuery()) {
                        for (; rows.next(); found++) {
                            last = rows.getBytes(1);
                            if (rows.getBoolean(2)) {
                                old.add(last);
                            }
                        }
                    }
                    deleted += delete(connection, old, isOld);
                    connection.commit();
                } while (found == BATCH && goesOn.getAsBoolean());
            } catch (SQLException ex) {
                connection.rollback();
                throw ex;
            } finally {
                setAutoCommit(connection, autoCommit);
            }
        }
        return deleted;
    }

    /** A row that is being raised is locked, and is not old afterwards. */
    private int delete(Connection connection, List<byte[]> keys, String isOld) throws SQLException {
        if (keys.isEmpty()) {
            return 0;
        }
        try (PreparedStatement delete = connection.prepareStatement(
                "DELETE FROM " + this.table + " WHERE " + FenceDialect.nameIsOneOf(keys.size()) + " AND " + isOld)) {
            delete.setQueryTimeout(seconds(this.lockTimeout));
            for (int i = 0; i < keys.size(); i++) {
                delete.setBytes(i + 1, keys.get(i));
            }
            return delete.executeUpdate();
        }
    }

    /**
     * Returns whether a conflict with another transaction caused the failure, after which a new transaction can
     * succeed.
     */
    static boolean isConflict(SQLException failure) {
        String state = failure.getSQLState();
        return SERIALIZATION_FAILURE.equals(state)
                || DEADLOCK.equals(state)
                || failure.getErrorCode() == MARIADB_CHANGED_SINCE_READ
                || isDuplicate(failure);
    }

    /** Returns whether the statement has waited too long for another transaction. */
    static boolean isTimeout(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return failure instanceof SQLTimeoutException
                || TIMEOUTS.contains(state)
                || failure.getErrorCode() == INNODB_LOCK_WAIT_TIMEOUT;
    }

    /**
     * Returns whether another transaction has inserted the row. The statement can then be repeated in the same
     * transaction.
     */
    static boolean isDuplicate(SQLException failure) {
        return DUPLICATE_KEY.equals(failure.getSQLState());
    }

    /** Sets the value, if the connection is not broken: its pool will find that. */
    static void setAutoCommit(Connection connection, boolean value) {
        try {
            connection.setAutoCommit(value);
        } catch (SQLException ex) {
            logger.debug("A connection could not be reset.", ex);
        }
    }

    /** Opens a connection outside of any transaction of the thread. */
    Connection open() throws SQLException {
        return this.dataSource.getConnection();
    }

    private static long micros(Duration time) {
        return TimeUnit.MILLISECONDS.toMicros(time.toMillis());
    }

    /** Executes each statement without an effect, to detect a missing table or right at the start. */
    void check() throws SQLException {
        try (Connection connection = open()) {
            this.defaultIsolation = connection.getTransactionIsolation();
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                // No lock has this key, and the token is older than any retention.
                byte[] key = {' '};
                Outcome unused = raise(connection, key, 0, this.lockTimeout);
                boolean unusedToo = raisePresent(connection, key, 0);
                long[] unusedTokens = lock(connection, List.of(key), this.lockTimeout);
                try (PreparedStatement statement =
                        connection.prepareStatement("DELETE FROM " + this.table + " WHERE name = ?")) {
                    statement.setBytes(1, key);
                    int unusedRows = statement.executeUpdate();
                }
            } finally {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            }
        }
    }

    /**
     * Returns whether a transaction that has read can commit although what it has read was changed since.
     *
     * @param isolation isolation of the transaction, or {@code null} for the default
     */
    boolean mayReadBeforeLastCommit(@Nullable Integer isolation) {
        return this.dialect.writesToOldSnapshots()
                && (isolation != null ? isolation : this.defaultIsolation) == Connection.TRANSACTION_REPEATABLE_READ;
    }

    /** Returns when a grant with that token was made, by the clock of the store. */
    static Instant timeOf(long token) {
        return Instant.EPOCH.plus(token, ChronoUnit.MICROS);
    }
}

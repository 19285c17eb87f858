package io.github.lockstarter.jdbc;

import io.github.lockstarter.text.LockLog;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The table of one database with the largest token that a transaction has raised, for each lock. Thread-safe.
 */
final class FenceTable {

    /*
     * Implementation note.
     *
     * A transaction that raises the token of its lock in one row locks this row until it ends. So two owners of a lock cannot have
     * transactions open at the same time, and after the commit of the next owner the late one is refused, whatever the isolation
     * level: the statement decides by the row as it is now, or fails in a database that decides by a snapshot.
     *
     * Rows are deleted when they have not been raised for twice the retention. A token that is older than the retention is
     * therefore accepted only if its row is present: an absent row may be that of a later owner which was deleted. Let a be the
     * token of a late owner, b > a that of the next one, raised at a time of at least b, and deleted at d. Then b < d - 2r. Were a
     * accepted without a row at i > d, a >= i - r > d - r > b + r. The r that is left is for the difference between the clocks of
     * Redis, from which tokens come, and of the database, which decides alone: its clock must not step back by more than r.
     */

    /** What the database has answered. */
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

    private static final int BATCH = 500;

    private static final LockLog logger = LockLog.of(FenceTable.class);

    private final DataSource dataSource;

    private final FenceDialect dialect;

    private final String table;

    private final Duration lockTimeout;

    private final Duration retention;

    // Statements

    private final String raise;

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
        this.raise = dialect.raise(table, lockTimeout.toMillis());
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

    /**
     * Raises the token of a lock, in the transaction of the connection.
     *
     * @param key identifies the lock
     * @throws SQLException if it is not known whether the token was raised. The transaction must not commit then
     */
    Outcome raise(Connection connection, byte[] key, long token) throws SQLException {
        long former = this.dialect.setTimeout(connection, this.lockTimeout.toMillis());
        try {
            try (PreparedStatement statement = connection.prepareStatement(this.raise)) {
                this.dialect.limit(statement, timeoutSeconds());
                statement.setBytes(1, key);
                statement.setLong(2, token);
                statement.setLong(3, micros(this.retention));
                if (this.dialect.isAccepted(statement, token)) {
                    return Outcome.ACCEPTED;
                }
            }
            return outcome(connection, key, token);
        } finally {
            this.dialect.restoreTimeout(connection, former);
        }
    }

    /** Reads the row, which it locks, and raises the token if that was not done because of its age. */
    private Outcome outcome(Connection connection, byte[] key, long token) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(this.read)) {
            // Another transaction may have locked the row.
            statement.setQueryTimeout(timeoutSeconds());
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

    private int timeoutSeconds() {
        return (int)
                Math.min(Integer.MAX_VALUE, this.lockTimeout.plusMillis(999).toSeconds());
    }

    /**
     * Deletes rows that were not raised for twice the retention. They are found without locks: a condition on a column without an
     * index would lock all rows.
     *
     * @param goesOn asked before each batch
     * @return the number of rows
     */
    int deleteOld(BooleanSupplier goesOn) throws SQLException {
        String isOld = "raised_at < " + this.dialect.clock() + " - " + micros(this.retention.multipliedBy(2));
        int deleted = 0;
        try (Connection connection = open()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            try (PreparedStatement search = connection.prepareStatement(
                            "SELECT name FROM " + this.table + " WHERE " + isOld + " LIMIT " + BATCH);
                    PreparedStatement delete =
                            connection.prepareStatement("DELETE FROM " + this.table + " WHERE name = ? AND " + isOld)) {
                // A row that is being raised is locked, and is not old afterwards.
                delete.setQueryTimeout(timeoutSeconds());
                int found;
                do {
                    found = 0;
                    try (ResultSet rows = search.executeQuery()) {
                        for (; rows.next(); found++) {
                            delete.setBytes(1, rows.getBytes(1));
                            delete.addBatch();
                        }
                    }
                    for (int count : delete.executeBatch()) {
                        deleted += count;
                    }
                } while (found == BATCH && goesOn.getAsBoolean());
            } finally {
                setAutoCommit(connection, autoCommit);
            }
        }
        return deleted;
    }

    /** Returns whether the failure is that of a conflict with another transaction, after which a new transaction can succeed. */
    static boolean isConflict(SQLException failure) {
        String state = failure.getSQLState();
        return SERIALIZATION_FAILURE.equals(state) || DEADLOCK.equals(state) || isDuplicate(failure);
    }

    /** Returns whether another transaction has inserted the row, so that the statement can be repeated in the same transaction. */
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

    /** Executes each statement without an effect, so that a missing table or right is noticed at the start. */
    void check() throws SQLException {
        try (Connection connection = open()) {
            this.defaultIsolation = connection.getTransactionIsolation();
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                // No lock has this key, and the token is older than any retention.
                byte[] key = {' '};
                Outcome unused = raise(connection, key, 0);
                boolean unusedToo = raisePresent(connection, key, 0);
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
     * @param isolation of the transaction; null: the default
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

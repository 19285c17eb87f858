package io.github.lockstarter.jdbc;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * What the transactions of owners of one lock have committed: a counter, which each of them increments by a read and a
 * write, and for each write a row with the new value and the fencing token. The rows show what was committed late,
 * whatever the instances report.
 */
final class CommittedHistory {

    private final JdbcTemplate database;

    private record Write(long amount, String instance, long token) {

        @Override
        public String toString() {
            return this.amount + " by " + this.instance + " with token " + this.token;
        }
    }

    /** Begins an empty history. */
    CommittedHistory(DataSource database) {
        this.database = new JdbcTemplate(database);
        this.database.execute("DROP TABLE IF EXISTS fence_counter");
        this.database.execute("DROP TABLE IF EXISTS fence_history");
        this.database.execute("CREATE TABLE fence_counter (amount BIGINT NOT NULL)");
        this.database.execute("CREATE TABLE fence_history (amount BIGINT NOT NULL, instance VARCHAR(20) NOT NULL,"
                + " token BIGINT NOT NULL)");
        this.database.update("INSERT INTO fence_counter (amount) VALUES (0)");
    }

    /** Returns the value of the counter as the present transaction reads it. */
    static long read(JdbcTemplate transaction) {
        Long amount = transaction.queryForObject("SELECT amount FROM fence_counter", Long.class);
        return amount != null ? amount : 0;
    }

    /** Writes a value, without a condition. */
    static void write(JdbcTemplate transaction, long amount, String instance, long token) {
        transaction.update("UPDATE fence_counter SET amount = ?", amount);
        transaction.update(
                "INSERT INTO fence_history (amount, instance, token) VALUES (?, ?, ?)", amount, instance, token);
    }

    /** Returns how many writes of that instance were committed. */
    long writesOf(String instance) {
        return writes().stream()
                .filter(write -> write.instance().equals(instance))
                .count();
    }

    /**
     * Returns what contradicts mutual exclusion: values that were written twice, that are missing, or that differ from
     * the number of writes, which are lost updates; and writes with a smaller token than that of the value before,
     * which are late.
     */
    List<String> violations() {
        List<String> violations = new ArrayList<>();
        List<Write> writes = writes();
        Write before = new Write(0, "none", 0);
        for (Write write : writes) {
            if (write.amount() != before.amount() + 1) {
                violations.add("lost update: " + write + " after " + before);
            }
            if (write.token() < before.token()) {
                violations.add("late write: " + write + " after " + before);
            }
            before = write;
        }
        long last = read(this.database);
        if (last != writes.size()) {
            violations.add("lost updates: the counter is " + last + " after " + writes.size() + " writes");
        }
        return violations;
    }

    private List<Write> writes() {
        return this.database.query(
                "SELECT amount, instance, token FROM fence_history ORDER BY amount, token",
                (row, index) -> new Write(row.getLong(1), row.getString(2), row.getLong(3)));
    }
}

package io.github.lockstarter.jdbc;

import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

final class H2FenceTest extends FenceContract {

    @Override
    DataSource database() {
        return database("");
    }

    private static DataSource database(String settings) {
        JdbcDataSource database = new JdbcDataSource();
        database.setUrl("jdbc:h2:mem:fence;DB_CLOSE_DELAY=-1" + settings);
        return database;
    }

    @Override
    DataSource databaseWithLockTimeout() {
        return database(";LOCK_TIMEOUT=3000");
    }

    @Override
    String lockTimeout() {
        return "SELECT LOCK_TIMEOUT() / 1000";
    }

    @Test
    void shouldRefuseTheRestOfATransactionThatAStatementHasCommitted() {
        refuseTheRestOfATransactionThatAStatementHasCommitted();
    }

    @Test
    void shouldFailABeginThatMeetsAConflict() throws Exception {
        failABeginThatMeetsAConflict();
    }
}

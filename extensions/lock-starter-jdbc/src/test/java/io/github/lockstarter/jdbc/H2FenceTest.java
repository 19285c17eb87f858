package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

final class H2FenceTest extends FenceContract {

    @Override
    DataSource database() {
        JdbcDataSource database = new JdbcDataSource();
        database.setUrl("jdbc:h2:mem:fence;DB_CLOSE_DELAY=-1");
        return database;
    }

    @Test
    void shouldRestoreTheLockTimeout() {
        try (FencedApplication application = new FencedApplication(database())) {
            Long before = application.jdbc.queryForObject("SELECT LOCK_TIMEOUT()", Long.class);
            application.locks.execute(FencedApplication.ORDER, lease -> {
                application
                        .transaction()
                        .executeWithoutResult(status -> assertThat(
                                        application.jdbc.queryForObject("SELECT LOCK_TIMEOUT()", Long.class))
                                .isEqualTo(before));
                return null;
            });
        }
    }
}

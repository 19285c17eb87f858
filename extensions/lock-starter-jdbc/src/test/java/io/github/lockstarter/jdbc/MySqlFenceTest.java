package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.mysql.cj.jdbc.MysqlDataSource;
import java.sql.Connection;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The statement for MySQL, by its driver, on MariaDB: there is no server of MySQL that a build could start. */
@Tag("full")
final class MySqlFenceTest extends MariaDbFenceTest {

    @Override
    DataSource database(String parameters) {
        MysqlDataSource database = new MysqlDataSource();
        database.setUrl("jdbc:mysql://" + url() + "&sslMode=DISABLED" + parameters);
        database.setUser("root");
        return database;
    }

    @Test
    void shouldUseTheStatementForMySql() throws Exception {
        try (Connection connection = database().getConnection()) {
            assertThat(FenceDialect.of(connection.getMetaData())).isEqualTo(FenceDialect.MYSQL);
        }
    }
}

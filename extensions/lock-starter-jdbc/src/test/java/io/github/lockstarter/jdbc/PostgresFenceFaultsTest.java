package io.github.lockstarter.jdbc;

import java.io.IOException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

final class PostgresFenceFaultsTest extends FenceFaultsContract {

    @BeforeAll
    static void startServer() throws IOException, InterruptedException {
        PostgresFenceTest.startServer();
    }

    @AfterAll
    static void stopServer() throws IOException {
        PostgresFenceTest.stopServer();
    }

    @Override
    DataSource database() {
        return PostgresFenceTest.server.getPostgresDatabase();
    }
}

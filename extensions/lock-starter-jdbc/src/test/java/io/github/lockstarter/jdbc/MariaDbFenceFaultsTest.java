package io.github.lockstarter.jdbc;

import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("full")
final class MariaDbFenceFaultsTest extends FenceFaultsContract {

    @BeforeAll
    static void startServer() throws Exception {
        MariaDbFenceTest.startServer();
    }

    @AfterAll
    static void stopServer() throws Exception {
        MariaDbFenceTest.stopServer();
    }

    @Override
    DataSource database() throws Exception {
        return new MariaDbFenceTest().database();
    }
}

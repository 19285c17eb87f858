package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class PostgresFenceTest extends FenceContract {

    private static EmbeddedPostgres server;

    @BeforeAll
    static void startServer() throws IOException {
        // Not the temporary folder, which other users of the machine share.
        File binaries = Path.of("target", "postgres").toAbsolutePath().toFile();
        server =
                EmbeddedPostgres.builder().setOverrideWorkingDirectory(binaries).start();
    }

    @AfterAll
    static void stopServer() throws IOException {
        server.close();
    }

    @Override
    DataSource database() {
        return server.getPostgresDatabase();
    }

    @Test
    void shouldRestoreTheLockTimeout() {
        try (FencedApplication application = new FencedApplication(database())) {
            application.locks.execute(FencedApplication.ORDER, lease -> {
                application
                        .transaction()
                        .executeWithoutResult(
                                status -> assertThat(application.jdbc.queryForObject("SHOW lock_timeout", String.class))
                                        .isEqualTo("0"));
                return null;
            });
            assertThat(application.jdbc.queryForObject("SHOW lock_timeout", String.class))
                    .isEqualTo("0");
        }
    }
}

package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class PostgresFenceTest extends FenceContract {

    static EmbeddedPostgres server;

    @BeforeAll
    static void startServer() throws IOException, InterruptedException {
        assumeTrue(
                !System.getProperty("user.name").equals("root") || canBeAnotherUser(),
                "PostgreSQL does not run as root, and this machine has no user namespaces");
        // Not the temporary folder, which other users of the machine share.
        File binaries = Path.of("target", "postgres").toAbsolutePath().toFile();
        server =
                EmbeddedPostgres.builder().setOverrideWorkingDirectory(binaries).start();
    }

    private static boolean canBeAnotherUser() throws InterruptedException {
        try {
            return new ProcessBuilder("unshare", "-U", "true").start().waitFor() == 0;
        } catch (IOException ex) {
            return false;
        }
    }

    @AfterAll
    static void stopServer() throws IOException {
        if (server != null) {
            server.close();
        }
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

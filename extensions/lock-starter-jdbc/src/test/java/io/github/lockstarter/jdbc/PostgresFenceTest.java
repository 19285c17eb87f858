package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.lockstarter.InvalidLockDefinitionException;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

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

    @Override
    DataSource databaseWithLockTimeout() throws SQLException {
        PGSimpleDataSource database = server.getPostgresDatabase().unwrap(PGSimpleDataSource.class);
        database.setOptions("-c lock_timeout=3s");
        return database;
    }

    @Override
    String lockTimeout() {
        return "SELECT CAST(setting AS INT) / 1000 FROM pg_settings WHERE name = 'lock_timeout'";
    }

    @Test
    void shouldFailABeginThatMeetsAConflict() throws Exception {
        failABeginThatMeetsAConflict();
    }

    @Test
    void shouldLockTheRowInANewTransactionWhoseOuterSessionIsKilled() throws Exception {
        lockTheRowInANewTransactionWhoseOuterSessionIsKilled(
                "SELECT pg_backend_pid()", "SELECT pg_terminate_backend(%d)");
    }

    @Test
    void shouldNotStartWithoutTheRightToUpdate() {
        try (FencedApplication present = new FencedApplication(database())) {
            present.others.execute("CREATE ROLE clerk LOGIN");
            present.others.execute("GRANT SELECT, INSERT, DELETE ON distributed_lock_fence TO clerk");
            FenceTables tables = new FenceTables(
                    Map.of("clerk", server.getDatabase("clerk", "postgres")),
                    FencedApplication.properties(Duration.ofSeconds(1)),
                    unused -> {});
            assertThatExceptionOfType(InvalidLockDefinitionException.class)
                    .isThrownBy(tables::afterPropertiesSet)
                    .withMessageContaining("'clerk'")
                    .withMessageContaining("permission denied")
                    .satisfies(ex -> assertThat(ex.remedy()).contains("grant SELECT, INSERT, UPDATE and DELETE"));
        }
    }
}

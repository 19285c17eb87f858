package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The statements themselves: the default build has no server of MariaDB and MySQL. */
final class FenceDialectTest {

    private static final String VALUES = " (name, token, raised_at) SELECT v.n, v.t,"
            + " TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) FROM (SELECT ? AS n, ? AS t, ? AS r) v"
            + " WHERE v.t >= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) - v.r"
            + " ON DUPLICATE KEY UPDATE ";

    @Test
    void shouldRaiseOnlyLowerTokensInMariaDb() {
        assertThat(FenceDialect.MARIADB.raise("f", 2_000))
                .as("raise of MariaDB")
                .isEqualTo("SET STATEMENT innodb_lock_wait_timeout=2 FOR INSERT INTO f" + VALUES
                        + "raised_at = IF(token <= VALUES(token), VALUES(raised_at), raised_at),"
                        + " token = GREATEST(token, VALUES(token)) RETURNING token");
    }

    @Test
    void shouldRaiseOnlyLowerTokensInMySql() {
        assertThat(FenceDialect.MYSQL.raise("f", 2_000))
                .as("raise of MySQL")
                .isEqualTo("INSERT /*+ SET_VAR(innodb_lock_wait_timeout=2) */ INTO f" + VALUES
                        + "raised_at = IF(f.token <= v.t, " + FenceDialect.MYSQL.clock() + ", f.raised_at),"
                        + " token = GREATEST(f.token, v.t)");
    }

    @Test
    void shouldLockRowsInMariaDbAndMySql() {
        assertThat(FenceDialect.MARIADB.lock("f", 2, 2_000))
                .as("lock of MariaDB")
                .isEqualTo("SELECT name, token FROM f WHERE name IN (?, ?) ORDER BY name LOCK IN SHARE MODE WAIT 2");
        assertThat(FenceDialect.MYSQL.lock("f", 1, 2_000))
                .as("lock of MySQL")
                .isEqualTo("SELECT /*+ SET_VAR(innodb_lock_wait_timeout=2) */ name, token FROM f"
                        + " WHERE name IN (?) LOCK IN SHARE MODE");
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "1000, 1", "1001, 2", "3000, 3"})
    void shouldWaitForWholeSecondsRoundedUp(long millis, long seconds) {
        assertThat(FenceDialect.MARIADB.lock("f", 1, millis))
                .as("%d ms on MariaDB", millis)
                .endsWith(" WAIT " + seconds);
        assertThat(FenceDialect.MYSQL.raise("f", millis))
                .as("%d ms on MySQL", millis)
                .contains("innodb_lock_wait_timeout=" + seconds + ')');
    }

    @Test
    void shouldSetTheTimeoutOfPostgreSqlInMillisecondsAndResetIt() {
        assertThat(FenceDialect.POSTGRESQL.lock("f", 1, 1_500))
                .as("lock of PostgreSQL")
                .isEqualTo("SELECT set_config('lock_starter.lock_timeout', current_setting('lock_timeout'), true),"
                        + " set_config('lock_timeout', '1500ms', true);"
                        + " SELECT name, token FROM f WHERE name IN (?) FOR SHARE;"
                        + " SELECT set_config('lock_timeout', current_setting('lock_starter.lock_timeout'), true)");
    }

    @ParameterizedTest
    @EnumSource
    void shouldRaiseAPresentRowOnlyToAHigherOrEqualToken(FenceDialect dialect) {
        assertThat(dialect.raisePresent("f"))
                .as("raise of a present row")
                .isEqualTo("UPDATE f SET token = ?, raised_at = " + dialect.clock() + " WHERE name = ? AND token <= ?");
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, 100, true, false, false",
        "MARIADB, 1, true, true, true",
        "MYSQL, 1, true, true, true",
        "H2, 100, false, true, false"
    })
    void shouldKnowHowEachDatabaseLocksRows(
            FenceDialect dialect, int rows, boolean sharesRows, boolean losesLocks, boolean writesToOldSnapshots) {
        assertThat(dialect.rowsAtATime()).as("rows at a time").isEqualTo(rows);
        assertThat(dialect.sharesRows()).as("has shared locks of rows").isEqualTo(sharesRows);
        assertThat(dialect.losesLocks()).as("may lose locks of rows").isEqualTo(losesLocks);
        assertThat(dialect.writesToOldSnapshots()).as("writes to old snapshots").isEqualTo(writesToOldSnapshots);
    }
}

package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the errors of the databases mean, also of those that the default build does not start. */
final class FenceFailuresTest {

    @ParameterizedTest
    @CsvSource({
        "40001, 0, true, false", // serialization failure
        "40P01, 0, true, false", // deadlock of PostgreSQL
        "23505, 0, true, false", // duplicate key
        "HY000, 1020, true, false", // MariaDB: changed since read
        "55P03, 0, false, true", // lock not available
        "57014, 0, false, true", // statement cancelled
        "70100, 0, false, true", // MariaDB: query interrupted
        "HYT00, 0, false, true", // H2: lock timeout
        "HY000, 1205, false, true", // InnoDB: lock wait timeout
        "HY000, 0, false, false",
        "42501, 0, false, false"
    })
    void shouldTellConflictsFromTimeouts(String state, int code, boolean isConflict, boolean isTimeout) {
        SQLException failure = new SQLException("failed", state, code);
        assertThat(FenceTable.isConflict(failure)).as("is a conflict").isEqualTo(isConflict);
        assertThat(FenceTable.isTimeout(failure)).as("is a time-out").isEqualTo(isTimeout);
    }

    @Test
    void shouldKnowATimeoutWithoutAState() {
        assertThat(FenceTable.isTimeout(new SQLTimeoutException("late")))
                .as("is a time-out")
                .isTrue();
    }

    @Test
    void shouldReadATokenAsMicroseconds() {
        assertThat(FenceTable.timeOf(1_700_000_000_123_456L))
                .as("time of the token")
                .isEqualTo(Instant.parse("2023-11-14T22:13:20.123456Z"));
    }
}

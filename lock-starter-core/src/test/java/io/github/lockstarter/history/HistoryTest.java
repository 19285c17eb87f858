package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Several processes want the same locks while processes, network and Redis fail: whatever happens, the rules hold. */
class HistoryTest {

    private static final Duration HARASSED = Duration.ofSeconds(8);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @Test
    @Timeout(240)
    void shouldKeepTheRulesWhateverHappens() throws Exception {
        Run run = Run.of(HARASSED, 3, this.directory);

        assertThat(run.violations()).as(run.toString()).isEmpty();
        assertThat(run.history().count(EventKind.GRANTED)).as(run.toString()).isGreaterThan(20);
        assertThat(run.history().count(EventKind.KILLED) + run.history().count(EventKind.STOOD_STILL))
                .as(run.toString())
                .isPositive();
    }
}

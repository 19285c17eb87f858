package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The same for ten minutes, or for {@code -Dlock.soak.seconds}: {@code ./mvnw -Psoak verify}. */
@Tag("soak")
class SoakTest {

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @Test
    void shouldKeepTheRulesForALongTime() throws Exception {
        Run run = Run.of(Duration.ofSeconds(Long.getLong("lock.soak.seconds", 600)), 4, this.directory);

        assertThat(run.violations()).as(run.toString()).isEmpty();
    }
}

package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.history.EventKind;
import io.github.lockstarter.testsupport.history.FleetPlan;
import io.github.lockstarter.testsupport.history.FleetRun;
import io.github.lockstarter.testsupport.history.Timing;
import io.github.lockstarter.testsupport.history.Trouble;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Several processes acquire the same locks while processes, network and Redis fail: the rules hold. */
class HistoryTest {

    private static final Timing TIMING = new Timing(Duration.ofSeconds(1), Duration.ofMillis(250));

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private static FleetPlan plan(int processes) {
        List<String> styles =
                Stream.of(LockStarterWorker.Style.values()).map(Enum::name).toList();
        return new FleetPlan(
                LockStarterWorker.class,
                styles,
                processes,
                TIMING,
                true,
                Trouble.ofOneServer(),
                FleetPlan.givenOrNewSeed());
    }

    @Test
    @Tag("full")
    @Timeout(240)
    void shouldKeepTheRules() throws Exception {
        FleetRun run = plan(3).run(Duration.ofSeconds(8), this.directory);

        assertThat(run.violations()).as(run.toString()).isEmpty();
        assertThat(run.history().count(EventKind.GRANTED)).as(run.toString()).isGreaterThan(20);
        assertThat(run.history().count(EventKind.KILLED) + run.history().count(EventKind.STOOD_STILL))
                .as(run.toString())
                .isPositive();
    }

    /** Runs for ten minutes, or for {@code -Dlock.soak.seconds}: {@code ./mvnw -Psoak verify}. */
    @Test
    @Tag("soak")
    void shouldKeepTheRulesForALongTime() throws Exception {
        Duration time = Duration.ofSeconds(Long.getLong("lock.soak.seconds", 600));

        FleetRun run = plan(4).run(time, this.directory);

        assertThat(run.violations()).as(run.toString()).isEmpty();
    }
}

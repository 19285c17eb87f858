package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Several processes want the same locks while processes, network and Redis fail: whatever happens, the rules hold. */
class HistoryTest {

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @Test
    @Tag("full")
    @Timeout(240)
    void shouldKeepTheRules() throws Exception {
        Fleet.Run run = Fleet.run(Duration.ofSeconds(8), 3, this.directory);

        assertThat(run.violations()).as(run.toString()).isEmpty();
        assertThat(run.history().count(EventKind.GRANTED)).as(run.toString()).isGreaterThan(20);
        assertThat(run.history().count(EventKind.KILLED) + run.history().count(EventKind.STOOD_STILL))
                .as(run.toString())
                .isPositive();
    }

    /** For ten minutes, or for {@code -Dlock.soak.seconds}: {@code ./mvnw -Psoak verify}. */
    @Test
    @Tag("soak")
    void shouldKeepTheRulesForALongTime() throws Exception {
        Duration time = Duration.ofSeconds(Long.getLong("lock.soak.seconds", 600));

        Fleet.Run run = Fleet.run(time, 4, this.directory);

        assertThat(run.violations()).as(run.toString()).isEmpty();
    }

    /** A process is killed early, in a short run too. */
    @Test
    void shouldPlanTheSameForTheSameSeedAndLeaveNothingOut() {
        assertThat(plan(7, 100)).isEqualTo(plan(7, 100)).isNotEqualTo(plan(8, 100));
        assertThat(plan(7, 100)).extracting(Trouble.Strike::victim).contains(0, 1, 2);
        for (long seed = 1; seed <= 8; seed++) {
            assertThat(plan(seed, Trouble.values().length))
                    .extracting(Trouble.Strike::trouble)
                    .containsExactlyInAnyOrder(Trouble.values());
            assertThat(plan(seed, 5)).extracting(Trouble.Strike::trouble).contains(Trouble.PROCESS_KILLED);
        }
    }

    private static List<Trouble.Strike> plan(long seed, int length) {
        Trouble.Plan plan = new Trouble.Plan(seed, 3);
        return Stream.generate(plan::next).limit(length).toList();
    }
}

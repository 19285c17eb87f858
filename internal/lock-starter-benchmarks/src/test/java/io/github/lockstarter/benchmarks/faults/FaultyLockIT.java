package io.github.lockstarter.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.history.FleetPlan;
import io.github.lockstarter.testsupport.history.FleetRun;
import io.github.lockstarter.testsupport.history.Timing;
import io.github.lockstarter.testsupport.history.Trouble;
import io.github.lockstarter.testsupport.history.Violation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A fault that is planted in the lock of the worker processes is found in their history, without a loss of data. */
class FaultyLockIT {

    private static final Timing TIMING = new Timing(Duration.ofSeconds(1), Duration.ofMillis(250));

    /** The troubles by which most owners lose their locks. */
    private static final Set<Trouble> LOSSES = EnumSet.of(
            Trouble.PROCESS_KILLED,
            Trouble.PROCESS_STOPPED_FOR_LONG,
            Trouble.BLACK_HOLE,
            Trouble.REQUESTS_LOST,
            Trouble.REPLIES_LOST);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @ParameterizedTest
    @EnumSource
    @Tag("soak")
    @Timeout(240)
    void shouldBeFound(FaultyLock fault) throws Exception {
        FleetPlan plan = new FleetPlan(
                FaultyLock.Worker.class, List.of(fault.name()), 3, TIMING, false, LOSSES, FleetPlan.givenOrNewSeed());

        FleetRun run = plan.run(Duration.ofSeconds(30), this.directory);

        assertThat(run.violations())
                .as(run.toString())
                .extracting(Violation::rule)
                .containsOnly(fault.rule());
    }
}

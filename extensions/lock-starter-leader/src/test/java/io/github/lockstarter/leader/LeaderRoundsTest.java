package io.github.lockstarter.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.history.FleetPlan;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Three instances in JVMs of their own are killed, paused, stopped and cut off, round after round: the rules hold. */
class LeaderRoundsTest {

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @Test
    @Tag("full")
    @Timeout(300)
    void shouldKeepThePromises() throws Exception {
        run(12);
    }

    /** Runs 200 rounds, or {@code -Dlock.leader.rounds}: {@code ./mvnw -Psoak verify}. */
    @Test
    @Tag("soak")
    @Timeout(7_200)
    void shouldKeepThePromisesForALongTime() throws Exception {
        run(Integer.getInteger("lock.leader.rounds", 200));
    }

    private void run(int rounds) throws InterruptedException {
        long seed = FleetPlan.givenOrNewSeed();
        System.out.println("lock.soak.seed=" + seed + ", " + rounds + " rounds, history in " + this.directory);
        try (LeaderFleet fleet = new LeaderFleet(seed, this.directory)) {
            LeaderRules rules = new LeaderRules(fleet.run(rounds));
            System.out.println(rules);
            assertThat(rules.violations())
                    .as("seed %d, %s", seed, this.directory)
                    .isEmpty();
            assertThat(rules.epochs()).isGreaterThan(rounds / 2);
        }
    }
}

package io.github.lockstarter.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.lock.Simulation.Report;
import io.github.lockstarter.lock.Simulation.Seen;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Histories of several JVMs on virtual time, each from one seed. */
class SimulationTest {

    private static final int LINES_OF_TRACE = 80;

    /** So many histories contain each situation. */
    private static final int MIN_HISTORIES = 1000;

    /** The default build runs the same histories each time, as many of them as fit into its time. */
    private static final long MAX_SEEDS_OF_THE_BUILD = 30_000;

    /** Runs the histories from the first seed on for a time: {@code -Dlock.test.simulation.seconds}. */
    @Test
    void noHistoryViolatesAGuarantee() {
        run(Long.getLong("lock.test.simulation.seconds", 30), 1, MAX_SEEDS_OF_THE_BUILD);
    }

    /** Runs histories that no build has run before, from a seed that differs each time unless it is given. */
    @Tag("soak")
    @Test
    void noHistoryOfManyViolatesAGuarantee() {
        long first = Long.getLong("lock.test.simulation.seed", System.currentTimeMillis());
        run(Long.getLong("lock.test.simulation.seconds", 3600), first, Long.MAX_VALUE);
    }

    /** Seeds that once found a fault of the engine. */
    @ParameterizedTest
    @ValueSource(
            longs = {
                6,
                8,
                13,
                36,
                103,
                287,
                623,
                982,
                1785,
                4445,
                5173,
                5818,
                14265,
                48157,
                54217,
                62316,
                72706,
                116735,
                140747,
                159506,
                5_009_349,
                5_227_042,
                1_795_534_222_801L,
                1_795_534_474_921L
            })
    void aSeedThatOnceFoundAFaultFindsNone(long seed) {
        assertThat(Simulation.traced(seed, LINES_OF_TRACE)).isNull();
    }

    @Test
    void aSeedDecidesTheWholeHistory() {
        Report first = new Report();
        Report second = new Report();

        assertThat(Simulation.violation(7, first)).isNull();
        assertThat(Simulation.violation(7, second)).isNull();

        assertThat(first).hasToString(second.toString());
    }

    private static void run(long seconds, long first, long most) {
        Report report = new Report();
        long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
        long seed = first;
        while ((System.nanoTime() < end && report.histories < most) || report.histories < MIN_HISTORIES) {
            if (Simulation.violation(seed, report) != null) {
                assertThat(Simulation.traced(seed, LINES_OF_TRACE)).isNull();
            }
            seed++;
        }
        System.out.println(report);
        List<Seen> missing = new ArrayList<>();
        for (Seen seen : Seen.values()) {
            if (report.count(seen) == 0) {
                missing.add(seen);
            }
        }
        assertThat(missing).as("situations that no history contained").isEmpty();
    }
}

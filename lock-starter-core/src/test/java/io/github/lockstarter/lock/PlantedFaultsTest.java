package io.github.lockstarter.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.lock.PlantedFaults.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulation finds faults that are planted into the engine and the store. */
class PlantedFaultsTest {

    /** Up to this number of seeds, a fault is planted in each build. */
    private static final int FEW_SEEDS = 20;

    /** Up to this number of seeds, a fault is planted in the profile "full"; those with more run in "soak". */
    private static final int SOME_SEEDS = 300;

    /** A row of the page about the simulation: the fault, its check, its measurements and its bound. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (.+) \\| .+ \\| .+ \\| ([\\d,]+) \\|$");

    @ParameterizedTest
    @MethodSource("foundAtOnce")
    void isFoundAtOnce(Fault fault) {
        assertFound(fault);
    }

    @Tag("full")
    @ParameterizedTest
    @MethodSource("foundSoon")
    void isFoundSoon(Fault fault) {
        assertFound(fault);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("foundLate")
    void isFound(Fault fault) {
        assertFound(fault);
    }

    @Test
    void thereAreEnoughFaultsOfWhichFewAreCovered() {
        assertThat(PlantedFaults.ALL).filteredOn(fault -> fault.seeds() > 0).hasSizeGreaterThanOrEqualTo(60);
        assertThat(PlantedFaults.ALL).filteredOn(fault -> fault.seeds() == 0).hasSizeLessThanOrEqualTo(6);
    }

    /** Also those that the default build does not run. */
    @Test
    void eachFaultChangesTheSources() {
        PlantedFaults.ALL.forEach(PlantedFaults::plantOnly);
    }

    @Test
    void thePageHasEachFaultWithItsBound() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "development", "simulation.md"));

        assertThat(ROW.matcher(page)
                        .results()
                        .map(row -> row.group(1) + ": " + row.group(2).replace(",", "")))
                .containsExactlyInAnyOrderElementsOf(PlantedFaults.ALL.stream()
                        .filter(fault -> fault.seeds() > 0)
                        .map(fault -> fault.name() + ": " + fault.seeds())
                        .toList());
    }

    private static List<Fault> foundAtOnce() {
        return between(0, FEW_SEEDS);
    }

    private static List<Fault> foundSoon() {
        return between(FEW_SEEDS, SOME_SEEDS);
    }

    private static List<Fault> foundLate() {
        return between(SOME_SEEDS, Integer.MAX_VALUE);
    }

    private static List<Fault> between(int more, int atMost) {
        return PlantedFaults.ALL.stream()
                .filter(fault -> fault.seeds() > more && fault.seeds() <= atMost)
                .toList();
    }

    private static void assertFound(Fault fault) {
        assertThat(PlantedFaults.run(fault).seeds())
                .as("seeds that find: %s", fault)
                .isPositive();
    }
}

package io.github.lockstarter.testsupport.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The plan of the troubles. */
class TroubleTest {

    private static final Set<Trouble> ALL = EnumSet.allOf(Trouble.class);

    private static List<Trouble.Strike> plan(long seed, int length) {
        Timing timing = new Timing(Duration.ofSeconds(1), Duration.ofMillis(250));
        Trouble.Plan plan =
                new Trouble.Plan(new FleetPlan(TroubleTest.class, List.of("any"), 3, timing, true, ALL, seed));
        return Stream.generate(plan::next).limit(length).toList();
    }

    @Test
    void shouldBeTheSameForTheSameSeed() {
        assertThat(plan(7, 100)).isEqualTo(plan(7, 100)).isNotEqualTo(plan(8, 100));
        assertThat(plan(7, 100)).extracting(Trouble.Strike::victim).contains(0, 1, 2);
    }

    /** A process is killed early, in a short run too. */
    @Test
    void shouldOmitNoTrouble() {
        for (long seed = 1; seed <= 8; seed++) {
            assertThat(plan(seed, ALL.size()))
                    .extracting(Trouble.Strike::trouble)
                    .containsExactlyInAnyOrderElementsOf(ALL);
            assertThat(plan(seed, 5)).extracting(Trouble.Strike::trouble).contains(Trouble.PROCESS_KILLED);
        }
    }
}

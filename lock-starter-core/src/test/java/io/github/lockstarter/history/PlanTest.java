package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.history.Plan.Strike;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a seed stands for. */
class PlanTest {

    @Test
    void shouldDoTheSameForTheSameSeed() {
        assertThat(plan(7, 100)).isEqualTo(plan(7, 100)).isNotEqualTo(plan(8, 100));
    }

    @Test
    void shouldLeaveNoTroubleOut() {
        assertThat(plan(7, Trouble.values().length))
                .extracting(Strike::trouble)
                .containsExactlyInAnyOrder(Trouble.values());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldKillAProcessEarly(long seed) {
        assertThat(plan(seed, 5)).extracting(Strike::trouble).contains(Trouble.PROCESS_KILLED);
    }

    @Test
    void shouldSpareNobody() {
        assertThat(plan(7, 100)).extracting(Strike::victim).contains(0, 1, 2).allMatch(victim -> victim < 3);
    }

    private static List<Strike> plan(long seed, int length) {
        Plan plan = new Plan(seed, Duration.ofSeconds(1), 3);
        return Stream.generate(plan::next).limit(length).toList();
    }
}

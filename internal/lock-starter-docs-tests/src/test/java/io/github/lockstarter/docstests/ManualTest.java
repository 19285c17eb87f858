package io.github.lockstarter.docstests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The manual is what the code is. */
class ManualTest {

    private static final Manual MANUAL = Manual.read(Manual.projectRoot());

    static List<Named<ManualCheck>> checks() {
        return Checks.all().stream()
                .map(check -> Named.of(check.getClass().getSimpleName(), check))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("checks")
    void shouldHaveNoProblem(ManualCheck check) {
        assertThat(Checks.problems(check, MANUAL)).isEmpty();
    }
}

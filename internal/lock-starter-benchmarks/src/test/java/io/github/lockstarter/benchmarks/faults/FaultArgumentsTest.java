package io.github.lockstarter.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line of the comparison under faults. */
class FaultArgumentsTest {

    private static String[] options(String command) {
        List<String> words = List.of(command.split(" "));
        return words.subList(2, words.size()).toArray(String[]::new);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--seed=7 --seconds=1.5 --contenders=redisson,shed-lock --lease=3 --histories=2"})
    void shouldStateTheCommandThatRepeatsIt(String given) {
        FaultArguments arguments = given.isEmpty() ? FaultArguments.parse() : FaultArguments.parse(given.split(" "));

        assertThat(FaultArguments.parse(options(arguments.command()))).isEqualTo(arguments);
    }

    @Test
    void shouldRefuseUnknownLibrariesAndOptions() {
        assertThatIllegalArgumentException().isThrownBy(() -> FaultArguments.parse("--contenders=redison"));
        assertThatIllegalArgumentException().isThrownBy(() -> FaultArguments.parse("--seeds=1"));
    }
}

package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What is printed when an application cannot start because of us. */
class FailureAnalysisTest {

    private final ApplicationContextRunner inMemory = TestContexts.inMemory();

    @Test
    void shouldNameTheMethodOfAWrongAnnotationAndTheRemedy() {
        this.inMemory.withBean(Sealed.class).run(context -> {
            FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());

            assertThat(analysis.getDescription())
                    .contains(Sealed.class.getName() + ".seal", "final")
                    .doesNotContain(analysis.getAction());
            assertThat(analysis.getAction()).contains("Remove final");
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "watchdog.timeout | 50ms    | must be at least 100ms",
                "wait-time        | -2      | must be zero",
                "key-prefix       | a{b     | must not be blank nor contain braces",
                "on-lost          | explode | explode",
                "enabled          | maybe   | maybe",
                "aspect.order     | first   | first"
            })
    void shouldNameAPropertyThatCannotWork(String property, String value, String said) {
        this.inMemory
                .withPropertyValues("distributed-lock." + property + "=" + value)
                .run(context -> assertThat(
                                FailureAnalyses.of(context.getStartupFailure()).getDescription())
                        .contains("distributed-lock." + property)
                        .contains(said));
    }

    static class Sealed {

        @DistributedLock
        final void seal() {}
    }
}

package io.github.lockstarter.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;

class FailedLineTest {

    @Test
    void shouldAppendTheStatementThatHasFailed() {
        List<String> leases = List.of("one");
        Throwable failure = catchThrowable(() -> assertThat(leases.isEmpty()).isTrue());

        Throwable explained = catchThrowable(() -> handle(failure));

        assertThat(explained)
                .hasMessageContaining("Expecting value to be true but was false")
                .hasMessageContaining("at: ")
                .hasMessageContaining("assertThat(leases.isEmpty()).isTrue()")
                .hasCause(failure);
        assertThat(explained.getStackTrace()).isEqualTo(failure.getStackTrace());
    }

    @Test
    void shouldNotChangeOtherFailures() {
        IllegalStateException failure = new IllegalStateException("not an assertion");

        assertThat(catchThrowable(() -> handle(failure))).isSameAs(failure);
    }

    @SuppressWarnings("NullAway") // the context is not used
    private static void handle(Throwable failure) throws Throwable {
        new FailedLine().handleTestExecutionException((ExtensionContext) null, failure);
    }
}

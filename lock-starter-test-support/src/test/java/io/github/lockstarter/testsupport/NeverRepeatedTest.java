package io.github.lockstarter.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

class NeverRepeatedTest {

    private static final String ENABLED = "lock.test.never-repeated";

    private static int runs;

    @NeverRepeated
    @EnabledIfSystemProperty(named = ENABLED, matches = "true", disabledReason = "run by NeverRepeatedTest only")
    static class FailsOnce {

        @Test
        void fails() {
            assertThat(++runs).isEqualTo(2);
        }

        @Test
        void succeeds() {}
    }

    @Test
    void shouldFailAgainWithoutARun() {
        TestExecutionSummary first = run();
        TestExecutionSummary second = run();

        for (TestExecutionSummary summary : List.of(first, second)) {
            assertThat(summary.getTestsFailedCount()).isEqualTo(1);
            assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
        }
        assertThat(runs).isEqualTo(1);
    }

    private static TestExecutionSummary run() {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(FailsOnce.class))
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        System.setProperty(ENABLED, "true");
        try {
            LauncherFactory.create().execute(request, listener);
        } finally {
            System.clearProperty(ENABLED);
        }
        return listener.getSummary();
    }
}

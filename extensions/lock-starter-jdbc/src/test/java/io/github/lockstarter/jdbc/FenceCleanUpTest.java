package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.registry.LeasingLockRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FenceCleanUpTest {

    @Test
    void shouldLeaveTheRowsOfPrefixesThatBeginAlike() {
        try (FencedApplication application = new FencedApplication(new H2FenceTest().database())) {
            for (String name : new String[] {"shop:{old}", "shop:eu:{old}", "shop2:{old}", "books:{old}"}) {
                application.others.update(
                        "INSERT INTO distributed_lock_fence (name, token, raised_at) VALUES (?, 1, 1)",
                        (Object) name.getBytes(StandardCharsets.UTF_8));
            }
            application.cleanUp().run();
            assertThat(application.others.queryForList("SELECT name FROM distributed_lock_fence", byte[].class))
                    .extracting(name -> new String(name, StandardCharsets.UTF_8))
                    .as("rows after the clean-up of the prefix shop")
                    .containsExactlyInAnyOrder("shop:eu:{old}", "shop2:{old}", "books:{old}");
        }
    }

    @Test
    void shouldStartAfterTheRegistryAndStopBeforeIt() {
        try (FencedApplication application = new FencedApplication(new H2FenceTest().database())) {
            FenceCleanUp cleanUp = application.cleanUp();
            assertThat(cleanUp.getPhase()).as("phase").isGreaterThan(LeasingLockRegistry.PHASE);
            cleanUp.start();
            assertThat(cleanUp.isRunning()).as("is running after the start").isTrue();
            cleanUp.stop();
            assertThat(cleanUp.isRunning()).as("is running after the stop").isFalse();
        }
    }

    @Test
    void shouldRunAtLeastDailyAndTenTimesPerRetention() {
        try (FencedApplication application = new FencedApplication(new H2FenceTest().database())) {
            assertThat(List.of(Duration.ofHours(10), Duration.ofDays(30)))
                    .extracting(retention -> new FenceCleanUp(application.locks, application.tables, "shop", retention))
                    .extracting("period")
                    .as("periods of retentions of ten hours and 30 days")
                    .containsExactly(Duration.ofHours(1), Duration.ofDays(1));
        }
    }
}

package io.github.lockstarter.health.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.InMemoryLockStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Health on Spring Boot 3. */
class DistributedLockBoot3HealthAutoConfigurationTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockBoot3HealthAutoConfiguration.class));

    private final ApplicationContextRunner applicationWithLocks = this.application.withBean(
            LeasingLockRegistry.class,
            () -> new LeasingLockRegistry(
                    new InMemoryLockStore(), LockSettings.of(Duration.ofSeconds(30)), null, List.of()));

    @Test
    void shouldBeUpWhileTheRegistryRunsAndDownAfterThat() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
        this.applicationWithLocks.run(context -> {
            LeasingLockRegistry registry = context.getBean(LeasingLockRegistry.class);
            HealthIndicator indicator = context.getBean("distributedLockHealthIndicator", HealthIndicator.class);
            registry.execute(LockRequest.of("orders:42"), lease -> {
                assertThat(indicator.health().getStatus()).isIn(Status.UP, Status.UNKNOWN);
                assertThat(indicator.health().getDetails()).containsEntry("held", 1);
                return null;
            });

            registry.stop();

            assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
            assertThat(indicator.health().getDetails()).containsKey("problem");
        });
    }

    @Test
    void shouldBeAbsentWithoutLocksOrWhenSwitchedOff() {
        this.application.run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
        this.applicationWithLocks
                .withPropertyValues("management.health.distributed-lock.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
    }
}

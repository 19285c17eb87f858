package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockMode;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the endpoint {@code locks} shows of the settings by name. */
class NamedSettingsEndpointTest {

    private final ApplicationContextRunner application = TestContexts.inMemory()
            .withConfiguration(AutoConfigurations.of(DistributedLockEndpointAutoConfiguration.class))
            .withBean(Exports.class);

    @Test
    void shouldShowWhatIsInForceAndFromWhere() {
        this.application
                .withConfiguration(AutoConfigurations.of(DistributedLockEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=locks",
                        "distributed-lock.on-lost=ignore",
                        "distributed-lock.locks.export.wait-time=2s",
                        "distributed-lock.locks.[Requested.only].max-hold=1h",
                        "distributed-lock.locks.timeslots.wait-time=4s",
                        "distributed-lock.locks.export.min-hold=3s")
                .run(context -> {
                    var settings = ((LocksDescription)
                                    context.getBean(LocksEndpoint.class).locks((String) null))
                            .settings();

                    assertThat(settings)
                            .as("settings, of which one that methods use under another spelling is listed once")
                            .containsOnlyKeys("Requested.only", "export", "other", "time-slots");
                    assertThat(settings.get("time-slots").waitTime())
                            .isEqualTo(new SettingDescription(
                                    "4s", "property distributed-lock.locks.timeslots.wait-time"));
                    SettingsDescription export = settings.get("export");
                    assertThat(export.waitTime())
                            .isEqualTo(
                                    new SettingDescription("2s", "property distributed-lock.locks.export.wait-time"));
                    assertThat(export.minHold())
                            .isEqualTo(new SettingDescription("3s", "property distributed-lock.locks.export.min-hold"));
                    assertThat(export.onLost())
                            .isEqualTo(new SettingDescription("ignore", "property distributed-lock.on-lost"));
                    assertThat(export.maxWaiters()).isEqualTo(new SettingDescription("-1", "default"));
                    assertThat(export.watchdogTimeout()).isEqualTo(new SettingDescription("30s", "default"));
                    assertThat(export.maxHold().value()).as("methods differ").isNull();
                    assertThat(export.maxHold().methods())
                            .containsEntry(
                                    "NamedSettingsEndpointTest.Exports.export",
                                    new SettingDescription(
                                            "5m", "annotation of NamedSettingsEndpointTest.Exports.export"))
                            .containsEntry(
                                    "NamedSettingsEndpointTest.Exports.read", new SettingDescription("-1", "default"));
                    assertThat(settings.get("other").lease())
                            .isEqualTo(new SettingDescription(
                                    "1m", "annotation of NamedSettingsEndpointTest.Exports.other"));
                    assertThat(settings.get("other").minHold())
                            .as("minimum hold that no annotation sets")
                            .isEqualTo(new SettingDescription("0", "default"));
                    assertThat(settings.get("Requested.only").maxHold())
                            .isEqualTo(new SettingDescription(
                                    "1h", "property distributed-lock.locks.[Requested.only].max-hold"));
                });
    }

    static class Exports {

        @DistributedLock(name = "export", maxHoldString = "5m")
        void export() {}

        @DistributedLock(name = "export", mode = LockMode.READ)
        void read() {}

        @DistributedLock(name = "other", leaseString = "1m")
        void other() {}

        @DistributedSemaphore(name = "time-slots", permits = 2)
        void slots() {}
    }
}

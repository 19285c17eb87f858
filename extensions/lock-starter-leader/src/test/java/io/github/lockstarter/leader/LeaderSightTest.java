package io.github.lockstarter.leader;

import static io.github.lockstarter.leader.Instance.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.leader.LeadersEndpoint.RoleDescription;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/** What operators see of a role, with locks in memory. */
@Timeout(90)
class LeaderSightTest {

    @Test
    void shouldShowTheLeaderInEndpointHealthInfoAndMeters() {
        try (Instance instance = Instance.start(
                1,
                List.of(
                        "--distributed-lock.store=memory",
                        "--distributed-lock.leader.roles.feed.auto-start=false",
                        "--management.endpoints.jmx.exposure.include=*",
                        "--spring.jmx.enabled=true"))) {
            RoleDescription before =
                    instance.bean(LeadersEndpoint.class).leaders().roles().get(0);
            assertThat(before.contends()).isFalse();
            assertThat(before.leader()).isNull();
            assertThat(gauge(instance, "distributed.lock.leader")).isZero();
            eventually().until(() -> gauge(instance, "distributed.lock.leader.absent") > 0);
            assertShown(instance, "stopped");

            instance.election().start(Instance.ROLE);
            instance.leading();

            RoleDescription role =
                    instance.bean(LeadersEndpoint.class).leaders().roles().get(0);
            assertThat(role.leads()).isTrue();
            assertThat(role.contends()).isTrue();
            eventually().until(() -> instance.events().size() == 1);
            long epoch = instance.events().get(0).epoch();
            assertThat(role.leader()).isNotNull().extracting(Leader::epoch).isEqualTo(epoch);
            assertThat(gauge(instance, "distributed.lock.leader")).isOne();
            assertThat(gauge(instance, "distributed.lock.leader.absent")).isZero();
            assertShown(instance, "leader");
            assertThat(instance.bean(MeterRegistry.class)
                            .get("distributed.lock.leader.changes")
                            .tag("role", Instance.ROLE)
                            .functionCounter()
                            .count())
                    .isOne();
        }
    }

    private static void assertShown(Instance instance, String state) {
        HealthIndicator indicator = instance.context().getBean("distributedLockHealthIndicator", HealthIndicator.class);
        assertThat(indicator.health().getDetails()).containsEntry("leader", Map.of(Instance.ROLE, state));
        assertThat(indicator.health().getStatus()).isNotEqualTo(Status.DOWN);
        Info.Builder info = new Info.Builder();
        instance.context()
                .getBean("distributedLockLeaderInfoContributor", InfoContributor.class)
                .contribute(info);
        assertThat(info.build().getDetails())
                .containsEntry("distributedLock", Map.of("leader", Map.of(Instance.ROLE, state)));
    }

    private static double gauge(Instance instance, String name) {
        return instance.bean(MeterRegistry.class)
                .get(name)
                .tag("role", Instance.ROLE)
                .gauge()
                .value();
    }
}

package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import java.lang.management.ManagementFactory;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the endpoint {@code locks} allows, and when it is there. */
class LocksEndpointTest {

    @Test
    void shouldShowLocksAndRefuseToTakeThemAwayUnlessThatIsAllowed() throws Exception {
        try (WebInstance instance = WebInstance.start(
                "--distributed-lock.store=memory",
                "--management.health.redis.enabled=false",
                "--distributed-lock.locks.orders.wait-time=2s")) {
            LockRegistry registry = instance.bean(LockRegistry.class);
            registry.execute(LockRequest.of("orders:42"), lease -> {
                assertThat(instance.get("/actuator/locks/orders:42").<Number>at("$.held.fencingToken"))
                        .isEqualTo(lease.fencingToken());

                assertThat(instance.delete("/actuator/locks/orders:42").status())
                        .isEqualTo(405);
                assertThat(instance.delete("/actuator/locks?name=orders:42").status())
                        .isEqualTo(405);

                assertThat(registry.getLock("orders:42").isLocked()).isTrue();
                return null;
            });
            assertThat(instance.get("/actuator/locks").<Map<String, Object>>at("$.settings.orders.waitTime"))
                    .containsExactly(
                            entry("value", "2s"), entry("source", "property distributed-lock.locks.orders.wait-time"));
            assertThat(instance.get("/actuator/health").<String>at("$.components.distributedLock.status"))
                    .isEqualTo("UP");
            assertThat(instance.get("/actuator/health/liveness").body()).doesNotContain("distributedLock");
            assertThat(instance.get("/actuator/health/readiness").body()).doesNotContain("distributedLock");
        }
    }

    /** Operations of a managed bean differ by their names alone. */
    @Test
    void shouldBeAManagedBean() throws Exception {
        try (WebInstance instance = WebInstance.start(
                "--distributed-lock.store=memory",
                "--spring.jmx.enabled=true",
                "--management.endpoints.jmx.exposure.include=locks",
                "--management.endpoint.locks.access=unrestricted")) {
            LockRegistry registry = instance.bean(LockRegistry.class);
            Lease lease = registry.acquire(LockRequest.of("orders:42"));

            assertThat(invoke("locks", new Object[] {null})).asString().contains("heldCount=1");
            assertThat(invoke("locks", "orders:42")).asString().contains("fencingToken=" + lease.fencingToken());
            assertThat(invoke("release", "orders:42")).asString().contains("released=true");
            assertThat(registry.getLock("orders:42").isLocked()).isFalse();
        }
    }

    private static Object invoke(String operation, Object... arguments) throws JMException {
        return ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("org.springframework.boot:type=Endpoint,name=Locks"),
                        operation,
                        arguments,
                        new String[] {String.class.getName()});
    }

    @Test
    void shouldBeThereOnlyWhenExposedAndAllowed() {
        ApplicationContextRunner application = TestContexts.inMemory()
                .withConfiguration(AutoConfigurations.of(
                        DistributedLockEndpointAutoConfiguration.class, DistributedLockHealthAutoConfiguration.class));
        application
                .withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> assertThat(context)
                        .hasBean("distributedLockHealthIndicator")
                        .doesNotHaveBean(LocksEndpoint.class)
                        .doesNotHaveBean(LocksEndpointWebExtension.class));
        application
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=locks",
                        "management.health.distributedLock.enabled=false")
                .run(context -> assertThat(context)
                        .hasSingleBean(LocksEndpoint.class)
                        .hasSingleBean(LocksEndpointWebExtension.class)
                        .doesNotHaveBean("distributedLockHealthIndicator"));
        application
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=locks", "management.endpoint.locks.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
    }
}

package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
                assertThat(instance.post("/actuator/locks/orders:42", "{}").status())
                        .isEqualTo(405);
                assertThat(instance.post("/actuator/locks?name=orders:42", "{}").status())
                        .isEqualTo(405);

                assertThat(registry.getLock("orders:42").isLocked()).isTrue();
                assertThat(lease.isReleaseRequested()).isFalse();
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
            assertThat(invoke("requestRelease", "orders:42")).asString().contains("requested=true");
            assertThat(lease.isReleaseRequested()).isTrue();
            assertThat(invoke("release", "orders:42")).asString().contains("released=true");
            assertThat(registry.getLock("orders:42").isLocked()).isFalse();
        }
    }

    /** Those that are held or awaited longest are the ones that are looked for. */
    @Test
    void shouldListTheThousandThatLastLongestAndCountAll() {
        TestContexts.inMemory()
                .withConfiguration(AutoConfigurations.of(DistributedLockEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=locks", "distributed-lock.shutdown-timeout=0")
                .run(context -> {
                    LockRegistry registry = context.getBean(LockRegistry.class);
                    List<Lease> leases = new ArrayList<>();
                    List<CompletableFuture<Lease>> waits = new ArrayList<>();
                    acquireAndAwait(registry, 0, LocksEndpoint.MOST, leases, waits);
                    LockInventory inventory = context.getBean(LockInventory.class);
                    // Times are in whole milliseconds.
                    await().until(() -> inventory.held().stream()
                                    .allMatch(held -> held.heldFor().toMillis() > 1)
                            && inventory.awaited().stream()
                                    .allMatch(awaited -> awaited.longest().toMillis() > 1));
                    acquireAndAwait(registry, LocksEndpoint.MOST, LocksEndpoint.MOST + 2, leases, waits);

                    LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
                    LocksDescription locks = (LocksDescription) endpoint.locks(null);

                    assertThat(locks.heldCount())
                            .as("number of locks that are held")
                            .isEqualTo(1002);
                    assertThat(locks.awaitedCount())
                            .as("number of locks that are awaited")
                            .isEqualTo(1002);
                    assertThat(locks.held()).as("listed locks that are held").hasSize(1000);
                    assertThat(locks.awaited())
                            .as("listed locks that are awaited")
                            .hasSize(1000);
                    assertThat(locks.held()).as("locks that are held longest").noneMatch(held -> isLate(held.name()));
                    assertThat(locks.awaited())
                            .as("locks that are awaited longest")
                            .noneMatch(awaited -> isLate(awaited.name()));
                    assertThat(((LockDescription) endpoint.locks("late:1001")).held())
                            .as("a lock that is not listed, by its name")
                            .isNotNull();
                    assertThat(inventory.health().held())
                            .as("held locks of the health")
                            .isEqualTo(1002);
                    assertThat(inventory.health().waiting())
                            .as("waiters of the health")
                            .isEqualTo(1002);
                    // Otherwise the end of the context would log a thousand losses.
                    waits.forEach(wait -> wait.cancel(true));
                    leases.forEach(Lease::close);
                });
    }

    private static boolean isLate(String name) {
        return name.startsWith("late:");
    }

    private static void acquireAndAwait(
            LockRegistry registry, int from, int to, List<Lease> leases, List<CompletableFuture<Lease>> waits)
            throws InterruptedException {
        for (int i = from; i < to; i++) {
            LockRequest request = LockRequest.of((i < LocksEndpoint.MOST ? "early:" : "late:") + i);
            leases.add(registry.acquire(request));
            waits.add(registry.acquireAsync(request).toCompletableFuture());
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

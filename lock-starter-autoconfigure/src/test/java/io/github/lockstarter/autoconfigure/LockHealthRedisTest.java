package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.map;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** The health component {@code distributedLock}, with a network that goes silent. */
@RedisTest
@Timeout(60)
class LockHealthRedisTest {

    private static final Duration LIMIT = Duration.ofMillis(50);

    /** What a question on the calling thread would take. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(600);

    @Test
    void shouldTellWithinMillisecondsThatRedisIsSilentAndWhatThatCosts(FaultProxy proxy) {
        TestContexts.application()
                .withPropertyValues(
                        "spring.data.redis.port=" + proxy.port(),
                        "distributed-lock.watchdog.timeout=3s",
                        "distributed-lock.watchdog.renew-interval=1s",
                        "distributed-lock.redis.command-timeout=" + COMMAND_TIMEOUT.toMillis() + "ms")
                .run(context -> {
                    LockHealthIndicator indicator = context.getBean(LockHealthIndicator.class);
                    Lease lease = context.getBean(LockRegistry.class).acquire(LockRequest.of("orders:42"));
                    await().untilAsserted(() ->
                            assertThat(indicator.health().getStatus()).isEqualTo(Status.UP));
                    assertThat(indicator.health().getDetails())
                            .containsEntry("held", 1)
                            .containsEntry("atRisk", 0)
                            .containsEntry("lost", 0L)
                            .doesNotContainKeys("problem", "lastLoss")
                            .hasEntrySatisfying(
                                    "store", store -> assertThat((String) store).contains(String.valueOf(proxy.port())))
                            .hasEntrySatisfying(
                                    "lastAnswer",
                                    ago -> assertThat(Duration.parse((String) ago))
                                            .isLessThan(Duration.ofMinutes(1)));

                    proxy.blackHole();

                    List<Duration> times = new ArrayList<>();
                    Health down = await().pollInterval(Duration.ofMillis(5))
                            .until(
                                    () -> timed(indicator, times),
                                    health -> health.getStatus().equals(Status.DOWN));
                    assertThat(down.getDetails()).containsKey("problem").containsEntry("held", 1);
                    assertFast(times);
                    List<Object> atRisk = new ArrayList<>();
                    await().until(() -> {
                        Map<String, Object> details = timed(indicator, times).getDetails();
                        atRisk.add(details.get("atRisk"));
                        return details.get("lost").equals(1L);
                    });
                    assertThat(atRisk).contains(1).endsWith(0);
                    assertThat(timed(indicator, times).getDetails())
                            .extractingByKey("lastLoss", as(map(String.class, Object.class)))
                            .containsEntry("lock", "orders")
                            .containsEntry("reason", "EXPIRED");
                    assertFast(times);
                    lease.release();

                    proxy.heal();
                    await().until(() -> timed(indicator, times).getStatus(), Status.UP::equals);
                });
    }

    @Test
    void shouldBeUnknownBeforeTheFirstReply() {
        LockHealth unknown =
                new LockHealth(LockHealth.Status.UNKNOWN, null, "Redis", null, 0, 0, 0, Duration.ZERO, 0, null, null);
        LockInventory inventory = mock(LockInventory.class, invocation -> unknown);

        assertThat(new LockHealthIndicator(inventory, null, List.of()).health().getStatus())
                .as("health before the first reply of the store")
                .isEqualTo(Status.UNKNOWN);
    }

    private static Health timed(LockHealthIndicator indicator, List<Duration> times) {
        long start = System.nanoTime();
        Health health = indicator.health();
        times.add(Duration.ofNanos(System.nanoTime() - start));
        return health;
    }

    /**
     * Half of those that had to wait at all, for a busy machine may stop any of them; none as long as Redis would take.
     */
    private static void assertFast(List<Duration> times) {
        List<Duration> waited = times.stream()
                .filter(time -> time.compareTo(Duration.ofMillis(5)) > 0)
                .sorted()
                .toList();
        assertThat(waited).as("of %s", times).isNotEmpty();
        assertThat(waited.get(waited.size() / 2)).isLessThan(LIMIT);
        assertThat(waited.get(waited.size() - 1)).isLessThan(COMMAND_TIMEOUT);
    }
}

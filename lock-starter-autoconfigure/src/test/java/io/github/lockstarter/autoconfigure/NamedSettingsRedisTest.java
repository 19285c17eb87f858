package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What properties by name do in Redis. */
@RedisTest
class NamedSettingsRedisTest {

    private static final Duration SHORT = Duration.ofSeconds(6);

    private final ApplicationContextRunner application;

    private final RedisCli cli;

    NamedSettingsRedisTest(RedisServer redis, RedisCli cli) {
        this.application = TestContexts.application(redis).withBean(Exports.class);
        this.cli = cli;
    }

    @Test
    void shouldHoldAndRenewWithTheTimeoutOfTheName() {
        this.application
                .withPropertyValues("distributed-lock.locks.export.watchdog-timeout=" + SHORT.toMillis() + "ms")
                .run(context -> {
                    LockRegistry registry = context.getBean(LockRegistry.class);
                    Exports exports = context.getBean(Exports.class);

                    assertThat(exports.export(() -> remaining("export:export"))).isBetween(1L, SHORT.toMillis());
                    assertThat(exports.read(() -> remaining("export:read"))).isBetween(1L, SHORT.toMillis());
                    assertThat(exports.other(() -> remaining("other"))).isGreaterThan(20_000);
                    try (Lease lease = registry.acquire(LockRequest.of("export:b"));
                            Lease reader =
                                    registry.acquire(LockRequest.of("export:c").withMode(LockMode.READ));
                            Lease permit = registry.getSemaphore("export:d", 2).acquire();
                            Lease later = registry.acquireAsync(LockRequest.of("export:e"))
                                    .toCompletableFuture()
                                    .get(30, TimeUnit.SECONDS);
                            Lease common = registry.acquire(LockRequest.of("invoice"))) {
                        long token = lease.fencingToken();
                        for (String name : new String[] {"export:b", "export:c", "export:d", "export:e"}) {
                            awaitRenewal(name);
                            assertThat(remaining(name)).as(name).isBetween(1L, SHORT.toMillis());
                        }
                        assertThat(remaining("invoice")).isGreaterThan(20_000);
                        assertThat(lease.isHeld() && reader.isHeld() && permit.isHeld() && later.isHeld())
                                .isTrue();
                        assertThat(lease.fencingToken()).isEqualTo(token);
                        assertThat(lease.remaining()).isLessThan(SHORT);
                    }
                });
    }

    private void awaitRenewal(String name) {
        long[] left = {remaining(name)};
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            long before = left[0];
            left[0] = remaining(name);
            assertThat(left[0])
                    .as("rest of the lease of %s after a renewal", name)
                    .isGreaterThan(before);
        });
    }

    @Test
    void shouldReplaceLeaseAndMinimumHold() {
        this.application
                .withPropertyValues(
                        "distributed-lock.locks.export.lease=40s", "distributed-lock.locks.export.min-hold=20s")
                .run(context -> {
                    LockRegistry registry = context.getBean(LockRegistry.class);

                    long lease = context.getBean(Exports.class).export(() -> {
                        assertThat(renewed(context.getBean(LockInventory.class), "export:export"))
                                .isFalse();
                        return remaining("export:export");
                    });
                    assertThat(lease).isBetween(35_000L, 40_000L);
                    assertThat(remaining("export:export")).as("kept").isBetween(15_000L, 20_000L);
                    LeaseLock lock = registry.getLock("export:g");
                    lock.lock();
                    try {
                        assertThat(remaining("export:g")).isGreaterThan(35_000);
                    } finally {
                        lock.unlock();
                    }
                    assertThat(remaining("export:g")).as("kept").isBetween(15_000L, 20_000L);
                    // Set in code, to zero as well.
                    registry.executeWithoutResult(LockRequest.of("export:h").withMinHold(Duration.ZERO), held -> {});
                    assertThat(this.cli.exists("lock:{export:h}")).isFalse();
                });
    }

    @Test
    void shouldRenewAnAnnotationWithAFixedLease() {
        this.application
                .withPropertyValues("distributed-lock.locks.other.lease=-1")
                .run(context -> context.getBean(Exports.class).other(() -> {
                    assertThat(renewed(context.getBean(LockInventory.class), "other"))
                            .isTrue();
                    return 0L;
                }));
    }

    private static boolean renewed(LockInventory inventory, String name) {
        return inventory.held(name).orElseThrow().renewed();
    }

    private long remaining(String name) {
        return this.cli.pttl("lock:{" + name + '}');
    }

    static class Exports {

        @DistributedLock(name = "export", key = "#root.method.name", maxHoldString = "5m")
        long export(Supplier<Long> body) {
            assertThat(LeaseContext.required().isHeld()).isTrue();
            return body.get();
        }

        @DistributedLock(name = "export", key = "#root.method.name", mode = LockMode.READ)
        long read(Supplier<Long> body) {
            return body.get();
        }

        @DistributedLock(name = "other", leaseString = "1m")
        long other(Supplier<Long> body) {
            return body.get();
        }
    }
}

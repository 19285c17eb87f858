package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockInventory;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Hand-overs of a private lock after the start of an application. */
@RedisTest
@Timeout(120)
class HandOverWarmUpTest {

    private final RedisServer redis;

    private final RedisCli cli;

    HandOverWarmUpTest(RedisServer redis, RedisCli cli) {
        this.redis = redis;
        this.cli = cli;
    }

    @Test
    void shouldBeginWhenTheApplicationIsReadyAndEndWithIt() {
        this.cli.command("CONFIG", "RESETSTAT");

        try (ConfigurableApplicationContext context = start("--distributed-lock.warm-up=true")) {
            soon().until(() -> this.cli.infoCommandStats().getOrDefault("publish", 0L) >= 10);

            assertThat(isRunning()).isTrue();
            LockInventory locks = context.getBean(LockInventory.class);
            assertThat(locks.held()).isEmpty();
            assertThat(locks.awaited()).isEmpty();
            assertThat(context.getBean(MeterRegistry.class).getMeters())
                    .noneMatch(meter -> meter.getId().toString().contains("warm-up"));
        }

        soon().until(() -> !isRunning());
    }

    @Test
    void shouldNotBeginByDefault() {
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBeansOfType(HandOverWarmUp.class)).isEmpty();
        }
    }

    /** There is no other JVM. */
    @Test
    void shouldEndWithoutAHandOverIfTheStoreIsInMemory() throws Exception {
        try (ConfigurableApplicationContext context =
                start("--distributed-lock.warm-up=true", "--distributed-lock.store=memory")) {
            soon().until(() -> !isRunning());
        }
    }

    private ConfigurableApplicationContext start(String... arguments) {
        return new SpringApplicationBuilder(TestContexts.Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.data.redis.host=" + this.redis.host(),
                        "spring.data.redis.port=" + this.redis.port())
                .run(arguments);
    }

    private static boolean isRunning() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("lock-warm-up"));
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(10));
    }
}

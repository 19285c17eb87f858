package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Jobs that two instances start by clocks of their own, one of which is late. */
@RedisTest
class ScheduledJobRedisTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final ApplicationContextRunner instance;

    private final RedisCli cli;

    ScheduledJobRedisTest(RedisServer redis, RedisCli cli) {
        this.instance = TestContexts.ours()
                .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withPropertyValues("spring.data.redis.host=" + redis.host(), "spring.data.redis.port=" + redis.port())
                .withUserConfiguration(Scheduling.class)
                .withBean(Jobs.class);
        this.cli = cli;
    }

    @Test
    void shouldRunOnceForBothIfTheLockOutlivesTheDifferenceOfTheirClocks() {
        this.instance.run(early -> {
            Jobs first = early.getBean(Jobs.class);
            await().atMost(LIMIT)
                    .until(() ->
                            first.runs().containsAll(List.of("kept", "short")) && !this.cli.exists("lock:{short}"));

            // Its clock strikes when the first run of both jobs is over.
            this.instance.run(late -> {
                Jobs second = late.getBean(Jobs.class);
                await().atMost(LIMIT)
                        .until(() -> second.refused().contains("kept")
                                && second.runs().contains("short"));

                assertThat(second.runs()).containsExactly("short");
                assertThat(second.refused()).containsExactly("kept");
            });
            assertThat(first.runs()).containsExactlyInAnyOrder("kept", "short");
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    static class Jobs implements LockListener {

        private final List<String> runs = new CopyOnWriteArrayList<>();

        private final List<String> refused = new CopyOnWriteArrayList<>();

        @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.DAYS)
        @DistributedLock(name = "kept", waitTime = 0, minHold = 60_000, onNotGranted = OnNotGranted.SKIP)
        public void kept() {
            this.runs.add("kept");
        }

        @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.DAYS)
        @DistributedLock(name = "short", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public void withoutMinHold() {
            this.runs.add("short");
        }

        List<String> runs() {
            return this.runs;
        }

        List<String> refused() {
            return this.refused;
        }

        @Override
        public void notAcquired(LockNotAcquiredEvent event) {
            this.refused.add(event.name());
        }
    }
}

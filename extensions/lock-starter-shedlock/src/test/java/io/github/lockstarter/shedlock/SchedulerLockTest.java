package io.github.lockstarter.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** {@code @SchedulerLock} in applications that have nothing but the module on their class path. */
@RedisTest
@Timeout(60)
class SchedulerLockTest {

    private static final String KEY = "lock:{report}";

    private final ApplicationContextRunner application;

    private final RedisCli cli;

    SchedulerLockTest(RedisServer redis, RedisCli cli) {
        this.cli = cli;
        this.application = new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("spring.data.redis.host=" + redis.host(), "spring.data.redis.port=" + redis.port());
    }

    @Test
    void shouldRunATaskOnOneNodeAtATime() {
        this.application.run(here -> this.application.run(there -> {
            Progress progress = here.getBean(Progress.class);
            CompletableFuture<Void> first = CompletableFuture.runAsync(here.getBean(Job.class)::report);
            assertThat(progress.running.await(20, TimeUnit.SECONDS)).isTrue();

            there.getBean(Job.class).report();
            assertThat(there.getBean(Progress.class).running.getCount())
                    .as("not run")
                    .isOne();
            // ShedLock's name is that of our lock.
            assertThat(there.getBean(LockRegistry.class).getLock("report").tryLock())
                    .isFalse();
            assertThat(this.cli.pttl(KEY)).as("extended").isBetween(60_000L, 90_000L);

            progress.mayEnd.complete(null);
            first.get(20, TimeUnit.SECONDS);
            assertThat(progress.ended).isTrue();
            assertThat(this.cli.pttl(KEY)).as("lockAtLeastFor").isBetween(10_000L, 25_000L);
            there.getBean(Job.class).report();
            assertThat(there.getBean(Progress.class).running.getCount())
                    .as("not run")
                    .isOne();
        }));
    }

    @Test
    void shouldBackOffFromAnotherProviderAndWithoutShedLock() {
        ApplicationContextRunner plain = new ApplicationContextRunner()
                .withUserConfiguration(Plain.class)
                .withPropertyValues("distributed-lock.store=memory");

        plain.run(context -> assertThat(context).hasSingleBean(LeaseLockProvider.class));
        plain.withBean("locks", LockProvider.class, () -> configuration -> Optional.<SimpleLock>empty())
                .run(context ->
                        assertThat(context).getBeanNames(LockProvider.class).containsExactly("locks"));
        plain.withClassLoader(new FilteredClassLoader("net.javacrumbs.shedlock"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(LockRegistry.class)
                        .doesNotHaveBean("distributedLockProvider"));
    }

    /** What becomes of the job; the bean itself is a proxy. */
    static final class Progress {

        final CountDownLatch running = new CountDownLatch(1);

        final CompletableFuture<Void> mayEnd = new CompletableFuture<>();

        volatile boolean ended;
    }

    static class Job {

        private final Progress progress;

        Job(Progress progress) {
            this.progress = progress;
        }

        @SchedulerLock(name = "report", lockAtMostFor = "30s")
        public void report() {
            LockAssert.assertLocked();
            LockExtender.extendActiveLock(Duration.ofSeconds(90), Duration.ofSeconds(25));
            this.progress.running.countDown();
            this.progress.mayEnd.join();
            this.progress.ended = true;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "30s")
    static class Application {

        @Bean
        Progress progress() {
            return new Progress();
        }

        @Bean
        Job job(Progress progress) {
            return new Job(progress);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}
}

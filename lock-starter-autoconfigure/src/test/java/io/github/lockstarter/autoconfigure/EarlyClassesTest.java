package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.testsupport.WorkerJvm;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The initialization of a class fails for ever if it meets a full heap. So an application that has started and has
 * held locks has initialized what its first loss, refusal or failure needs.
 */
@RedisTest
@Timeout(120)
class EarlyClassesTest {

    /** A class with a static initializer, which is initialized now. */
    private static final Pattern INITIALIZED = Pattern.compile("Initializing '([^']+)' ?\\(0x.*");

    @Test
    void shouldInitializeAtTheStartWhatAFaultNeeds(RedisServer redis, @TempDir Path folder) throws Exception {
        Path log = folder.resolve("classes.log");
        try (WorkerJvm worker = WorkerJvm.start(
                List.of("-Xlog:class+init=info:file=" + log), Worker.class, Integer.toString(redis.port()))) {
            assertThat(worker.awaitLine(line -> line.matches("done|Exception in.*"), Duration.ofSeconds(90)))
                    .as(() -> String.join("\n", worker.lines()))
                    .isEqualTo("done");
        }
        List<String> initialized;
        try (var lines = Files.lines(log)) {
            initialized = lines.map(INITIALIZED::matcher)
                    .filter(Matcher::find)
                    .map(line -> line.group(1))
                    .collect(Collectors.toList());
        }
        int mark = initialized.indexOf(Mark.class.getName().replace('.', '/'));
        assertThat(mark).isPositive();
        assertThat(initialized.subList(mark + 1, initialized.size()))
                .filteredOn(each -> each.startsWith("io/github/lockstarter/"))
                .filteredOn(each -> !each.matches(".*/(autoconfigure/EarlyClassesTest|testsupport).*"))
                .isEmpty();
    }

    /** Initialized when the application has started and has held locks. */
    static final class Mark {

        static final int NOW = Integer.parseInt("1");

        private Mark() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {

        @DistributedLock(name = "orders", key = "#id", waitTime = 100)
        public void place(String id, Runnable work) {
            work.run();
        }

        @DistributedLock(name = "orders", key = "#id", waitTime = 100, onNotGranted = OnNotGranted.SKIP)
        public void skip(String id) {}

        @DistributedLock(name = "orders", key = "#id", waitTime = 100)
        public CompletableFuture<String> placeLater(String id) {
            return CompletableFuture.failedFuture(new IllegalStateException(id));
        }
    }

    /** An application that meets each kind of trouble. */
    @SuppressWarnings("LockNotBeforeTry") // the end of the hold is the subject
    static final class Worker {

        private final LockRegistry locks;

        private final Orders orders;

        private final RedisCli redis;

        private Worker(ConfigurableApplicationContext context, RedisCli redis) {
            this.locks = context.getBean(LockRegistry.class);
            this.orders = context.getBean(Orders.class);
            this.redis = redis;
        }

        public static void main(String[] arguments) throws Exception {
            int port = Integer.parseInt(arguments[0]);
            ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                    .web(WebApplicationType.NONE)
                    .run(
                            "--spring.data.redis.port=" + port,
                            "--distributed-lock.watchdog.timeout=6s",
                            "--distributed-lock.watchdog.renew-interval=500ms",
                            "--distributed-lock.redis.command-timeout=400ms",
                            "--distributed-lock.shutdown-timeout=1ms");
            try (RedisCli redis = RedisCli.connect(port)) {
                Worker worker = new Worker(context, redis);
                worker.orders.place("0", () -> {});
                Lease held = worker.acquire("held");
                Lease deleted = worker.acquire("deleted");
                Lease takenOver = worker.acquire("taken-over");
                Lease fixed = worker.locks.acquire(LockRequest.of("fixed").withLease(Duration.ofMillis(300)));
                Lease limited = worker.locks.acquire(LockRequest.of("limited").withMaxHold(Duration.ofMillis(300)));
                Lease reader = worker.locks.acquire(LockRequest.of("read").withMode(LockMode.READ));
                Lease permit = worker.locks.acquire(LockRequest.of("permit").withPermits(1, 2));
                CompletableFuture<Lease> async =
                        worker.locks.acquireAsync(LockRequest.of("async")).toCompletableFuture();
                assertThat(Mark.NOW).isEqualTo(1);
                worker.release(List.of(reader, permit, async.join()));
                redis.command("DEL", "lock:{deleted}");
                redis.command("HSET", "lock:{taken-over}", "o", "another");
                worker.lose(List.of(deleted, takenOver, fixed, limited));
                worker.waitInVain();
                worker.fail();
                assertThat(held.state()).isNotEqualTo(Lease.State.RELEASED);
            }
            context.close();
            System.out.println("done");
        }

        private Lease acquire(String name) throws InterruptedException {
            return this.locks.acquire(LockRequest.of(name));
        }

        private void release(List<Lease> leases) {
            assertThat(leases).allMatch(Lease::release);
        }

        private void lose(List<Lease> leases) {
            for (Lease each : leases) {
                await().until(() -> each.state() == Lease.State.LOST);
                assertThat(each.lost().toCompletableFuture().join()).isNotNull();
                assertThatThrownBy(each::ensureHeld).isInstanceOf(LockLostException.class);
                assertThat(each.release()).isFalse();
            }
            assertThatThrownBy(() -> this.orders.place("lost", () -> {
                        this.redis.command("DEL", "lock:{orders:lost}");
                        Lease mine = LeaseContext.current().orElseThrow();
                        await().until(() -> !mine.isHeld());
                    }))
                    .isInstanceOf(LockException.class);
        }

        private void waitInVain() throws Exception {
            this.redis.command("HSET", "lock:{orders:1}", "o", "another");
            this.redis.command("PEXPIRE", "lock:{orders:1}", "60000");
            assertThatThrownBy(() -> this.orders.place("1", () -> {})).isInstanceOf(LockNotGrantedException.class);
            this.orders.skip("1");
            assertThatThrownBy(() -> this.orders.placeLater("1").join()).hasCauseInstanceOf(LockException.class);
            assertThatThrownBy(() -> this.orders.placeLater("2").join()).hasMessageContaining("2");
            CompletableFuture<Lease> cancelled =
                    this.locks.acquireAsync(LockRequest.of("orders:1")).toCompletableFuture();
            cancelled.cancel(true);
            Lease owner = acquire("line");
            CompletableFuture<Lease> waiter =
                    this.locks.acquireAsync(LockRequest.of("line")).toCompletableFuture();
            assertThat(owner.release()).isTrue();
            assertThat(waiter.join().release()).isTrue();
        }

        private void fail() throws Exception {
            this.redis.command("SET", "lock:{orders:wrong}", "x");
            assertThatThrownBy(() -> this.orders.place("wrong", () -> {})).isInstanceOf(LockException.class);
            LeaseLock lock = this.locks.getLock("released-late");
            lock.lock();
            Lease atRisk = acquire("at-risk");
            this.redis.command("CLIENT", "PAUSE", "1250", "ALL");
            assertThatThrownBy(() -> this.orders.place("unknown", () -> {})).isInstanceOf(LockException.class);
            lock.unlock();
            await().until(() -> atRisk.state() == Lease.State.AT_RISK);
            await().until(() -> atRisk.state() != Lease.State.AT_RISK);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> lock.tryLock(Duration.ofSeconds(1))).isInstanceOf(InterruptedException.class);
        }
    }
}

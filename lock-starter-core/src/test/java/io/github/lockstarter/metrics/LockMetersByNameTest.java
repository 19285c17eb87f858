package io.github.lockstarter.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LockMetersByNameTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(LockTags.class);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final MicrometerLockListener listener = new MicrometerLockListener(this.registry);

    @BeforeEach
    void listen() {
        this.log.start();
        this.logger.setLevel(Level.WARN);
        this.logger.addAppender(this.log);
    }

    @AfterEach
    void stopListening() {
        this.logger.detachAppender(this.log);
        this.logger.setLevel(null);
    }

    @Test
    void shouldTagTwoHundredNamesAndWarnOnceOfTheRest() {
        for (int round = 0; round < 2; round++) {
            for (int name = 1; name <= 210; name++) {
                acquired("lock-" + name);
            }
        }

        assertThat(timers()).hasSize(201);
        assertThat(timer("lock-1").count()).isEqualTo(2);
        assertThat(timer("lock-200").count()).isEqualTo(2);
        assertThat(timer("other").count()).isEqualTo(20);
        assertThat(this.log.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage()).contains("200", "'lock-201'", "lock=other");
        });
    }

    @Test
    void shouldWarnInOneLineWhateverTheNameIs() {
        for (int name = 1; name <= 200; name++) {
            acquired("lock-" + name);
        }
        acquired("1'\n2026-01-01 ERROR forged\u001b[2J\u2028\u202E");

        assertThat(this.log.list)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .contains("'1'\\u000A2026-01-01 ERROR forged\\u001B[2J\\u2028\\u202E'");
    }

    @Test
    void shouldSayNothingWhileThereAreFewNames() {
        for (int name = 1; name <= 200; name++) {
            acquired("lock-" + name);
        }

        assertThat(timers()).hasSize(200);
        assertThat(this.log.list).isEmpty();
    }

    @Test
    void shouldKeepTheLimitAndEveryEventWhenThreadsRace() throws InterruptedException {
        int threads = 8;
        CountDownLatch start = new CountDownLatch(1);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        for (int thread = 0; thread < threads; thread++) {
            pool.execute(() -> {
                awaitUninterruptibly(start);
                for (int name = 1; name <= 1000; name++) {
                    acquired("lock-" + name);
                }
            });
        }
        start.countDown();
        pool.shutdown();

        assertThat(pool.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(timers()).hasSize(201);
        assertThat(timers().stream().mapToLong(Timer::count).sum()).isEqualTo(threads * 1000L);
        assertThat(this.log.list).hasSize(1);
    }

    private void acquired(String name) {
        acquired(name, LockMode.WRITE);
    }

    private void acquired(String name, LockMode mode) {
        this.listener.acquired(new LockAcquiredEvent(
                new LockEvent.Grant(LockRequest.of(name).withMode(mode), 1, "id"), Duration.ofMillis(1)));
    }

    private Timer timer(String lock) {
        return this.registry
                .get("distributed.lock.acquire")
                .tags("lock", lock, "outcome", "acquired")
                .timer();
    }

    private Collection<Timer> timers() {
        return this.registry
                .find("distributed.lock.acquire")
                .tag("outcome", "acquired")
                .timers();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}

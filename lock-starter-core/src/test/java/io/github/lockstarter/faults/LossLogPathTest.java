package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Losses are logged whatever listeners do, and locks go on whatever the log does. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class LossLogPathTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final CountDownLatch blocked = new CountDownLatch(1);

    private final CountDownLatch end = new CountDownLatch(1);

    private final RedisServer server;

    private final RedisCli redis;

    LossLogPathTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
    }

    @AfterEach
    void unblock() {
        this.end.countDown();
    }

    private void block() {
        this.blocked.countDown();
        try {
            this.end.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Hung implements LockListener {
        @Override
        public void acquired(LockAcquiredEvent event) {
            block();
        }
    }

    private final class BlockedAppender extends AppenderBase<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent event) {
            block();
        }
    }

    @Test
    void shouldLogLossesWhileAListenerHangs() throws Exception {
        Instance instance = this.instances.at(this.server, setup -> setup.calm().listener(new Hung()));
        try (LogCapture log = new LogCapture()) {
            Lease first = instance.acquire("order:1");
            assertThat(this.blocked.await(20, TimeUnit.SECONDS)).isTrue();
            lose(first);
            lose(instance.acquire("order:2"));

            soon().until(() -> !log.with("'order:1'").isEmpty());
            soon().until(() -> !log.with("'order:2'").isEmpty());
            assertThat(log.with("is LOST")).hasSize(2);
        }
    }

    @Test
    @Tag("full")
    void shouldRenewAcquireAndReleaseWhileTheLogBlocks() throws Exception {
        Instance instance = this.instances.at(this.server, setup -> setup.lease(Duration.ofMillis(1500)));
        whileTheLogBlocks("LoggingLockListener", () -> {
            Lease renewed = instance.acquire("order:1");
            lose(instance.acquire("order:2"));
            awaitBlocked();
            lose(instance.acquire("order:3"));

            within(Duration.ofSeconds(20)).during(Duration.ofSeconds(4)).until(renewed::isHeld);
            assertThat(instance.registry().acquire(LockRequest.of("order:3")).release())
                    .isTrue();
            assertThat(renewed.release()).isTrue();
        });
    }

    private interface Body {
        void run() throws Exception;
    }

    private void whileTheLogBlocks(String writer, Body body) throws Exception {
        BlockedAppender appender = new BlockedAppender();
        Logger logger = (Logger) LoggerFactory.getLogger("io.github.lockstarter.engine." + writer);
        logger.setLevel(Level.WARN);
        appender.start();
        logger.addAppender(appender);
        try {
            body.run();
        } finally {
            this.end.countDown();
            logger.detachAppender(appender);
            logger.setLevel(null);
        }
    }

    private void awaitBlocked() throws InterruptedException {
        assertThat(this.blocked.await(20, TimeUnit.SECONDS)).isTrue();
    }

    private void lose(Lease lease) throws Exception {
        assertThat(this.redis.command("DEL", "lock:{" + lease.name() + "}")).isEqualTo(1L);
        soon().until(() -> lease.state() == Lease.State.LOST);
    }
}

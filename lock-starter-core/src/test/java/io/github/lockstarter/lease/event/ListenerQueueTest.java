package io.github.lockstarter.lease.event;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.lease.support.LogQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Events that no listener hears are counted, and the log shows why, once in a while. */
class ListenerQueueTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(ListenerQueue.class);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>() {
        @Override
        protected void append(ILoggingEvent event) {
            // notes the name of the thread
            event.prepareForDeferredProcessing();
            super.append(event);
        }
    };

    private final AtomicLong nanos = new AtomicLong(-42);

    private final LogQueue log = new LogQueue();

    private final ListenerQueue queue = new ListenerQueue(this.log, this.nanos::get);

    private final CountDownLatch end = new CountDownLatch(1);

    private static final class Hung implements LockListener {}

    @BeforeEach
    void listen() {
        this.logger.setLevel(Level.WARN);
        this.logger.setAdditive(false);
        this.lines.start();
        this.logger.addAppender(this.lines);
    }

    @AfterEach
    void stop() throws InterruptedException {
        this.end.countDown();
        this.queue.shutdown();
        this.log.shutdown();
        this.log.awaitEnd(20_000);
        this.logger.detachAppender(this.lines);
        this.logger.setAdditive(true);
        this.logger.setLevel(null);
    }

    /** Occupies the thread, and the queue to its last place. */
    private void fill() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        add(listener -> {
            busy.countDown();
            this.end.await();
        });
        assertThat(busy.await(20, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < ListenerQueue.CAPACITY; i++) {
            add(listener -> {});
        }
    }

    private void add(Call call) {
        this.queue.add(List.of(new Hung()), listener -> {
            try {
                call.accept(listener);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private interface Call {
        void accept(LockListener listener) throws InterruptedException;
    }

    private List<ILoggingEvent> lines() {
        return List.copyOf(this.lines.list);
    }

    @Test
    void shouldWarnOnceWithTheListenerThatHangs() throws Exception {
        fill();
        assertThat(lines()).isEmpty();
        this.nanos.addAndGet(Duration.ofSeconds(35).toNanos());

        for (int i = 0; i < 25; i++) {
            add(listener -> {});
        }

        assertThat(this.queue.dropped()).isEqualTo(25);
        Awaitility.await().until(() -> !lines().isEmpty());
        this.log.shutdown();
        this.log.awaitEnd(20_000);
        assertThat(lines()).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getThreadName()).startsWith("lock-log-");
            assertThat(line.getFormattedMessage())
                    .contains(Hung.class.getName(), "35000 ms", "LockLostEvent", "distributed.lock.events.dropped");
        });
    }

    @Test
    void shouldWarnAgainAfterAWhile() throws Exception {
        fill();
        add(listener -> {});
        Awaitility.await().until(() -> lines().size() == 1);
        this.nanos.addAndGet(Duration.ofMinutes(10).toNanos() - 1);
        add(listener -> {});
        this.nanos.incrementAndGet();
        add(listener -> {});
        add(listener -> {});

        Awaitility.await().until(() -> lines().size() == 2);
        assertThat(lines().get(1).getFormattedMessage()).containsPattern("[34] so far");
    }

    @Test
    void shouldBeSilentAfterTheEnd() {
        this.queue.shutdown();

        add(listener -> {});

        assertThat(this.queue.dropped()).isEqualTo(1);
        assertThat(lines()).isEmpty();
    }
}

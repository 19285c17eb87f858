package io.github.lockstarter.lease.support;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is written into the log on its own thread, in order, and what becomes of lines while it is blocked. */
class LogQueueTest {

    private final LogQueue log = new LogQueue();

    private final List<String> written = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void stop() {
        this.log.shutdown();
    }

    @Test
    void shouldWriteInOrderOnItsThread() throws Exception {
        for (int i = 0; i < 100; i++) {
            int number = i;
            this.log.add(() -> this.written.add(Thread.currentThread().getName() + number));
        }
        this.log.shutdown();
        this.log.awaitEnd(20_000);

        assertThat(this.written).hasSize(100).allMatch(line -> line.startsWith("lock-log-"));
        assertThat(this.written.get(99)).endsWith("99");
    }

    @Test
    void shouldGoOnAfterALineThatFails() {
        this.log.add(() -> {
            throw new IllegalStateException("broken appender");
        });
        this.log.add(() -> this.written.add("next"));

        Awaitility.await().dontCatchUncaughtExceptions().until(() -> this.written.contains("next"));
    }

    @Test
    void shouldWriteOnTheCallingThreadAfterTheEnd() {
        this.log.shutdown();

        this.log.add(() -> this.written.add(Thread.currentThread().getName()));

        assertThat(this.written).containsExactly(Thread.currentThread().getName());
    }

    @Test
    void shouldSayHowManyLinesAreMissing() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(LogQueue.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.setLevel(Level.ERROR);
        logger.addAppender(lines);
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger count = new AtomicInteger();
        try {
            this.log.add(() -> {
                busy.countDown();
                Awaitility.await().until(() -> end.getCount() == 0);
            });
            assertThat(busy.await(20, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 100_007; i++) {
                this.log.add(count::incrementAndGet);
            }
            end.countDown();
            Awaitility.await().until(() -> !lines.list.isEmpty());

            assertThat(lines.list)
                    .singleElement()
                    .satisfies(line -> assertThat(line.getFormattedMessage()).startsWith("7 "));
            Awaitility.await().until(() -> count.get() == 100_000);
        } finally {
            end.countDown();
            logger.detachAppender(lines);
            logger.setLevel(null);
        }
    }
}

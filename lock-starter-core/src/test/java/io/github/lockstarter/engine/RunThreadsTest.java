package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.testsupport.LogCapture;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.test.util.ReflectionTestUtils;

@Timeout(30)
class RunThreadsTest {

    private final RunThreads threads = new RunThreads((task, delay) -> true);

    @AfterEach
    void stop() {
        this.threads.stop();
    }

    /** The future of the stage, or a dependent stage of it, may not be completed. */
    @Test
    void shouldRunAStageAgainThatTheHeapHadNoRoomFor() throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch completed = new CountDownLatch(1);

        this.threads.complete(() -> {
            if (runs.incrementAndGet() < 3) {
                throw new OutOfMemoryError("of the test");
            }
            completed.countDown();
        });

        assertThat(completed.await(10, TimeUnit.SECONDS))
                .as("completed after three runs")
                .isTrue();
    }

    @Test
    void shouldRunStagesBesideThoseThatBlock() throws InterruptedException {
        int stages = RunThreads.GRANT_STAGES;
        CountDownLatch running = new CountDownLatch(stages);
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch last = new CountDownLatch(1);
        try {
            for (int i = 0; i < stages; i++) {
                boolean isPrompt = this.threads.completeGrant(() -> {
                    running.countDown();
                    awaitUninterruptibly(end);
                });
                assertThat(isPrompt).as("stage %s has a thread", i).isTrue();
            }
            assertThat(running.await(10, TimeUnit.SECONDS))
                    .as("as many stages run as there are threads")
                    .isTrue();

            assertThat(this.threads.completeGrant(last::countDown))
                    .as("one more stage has a thread")
                    .isFalse();
            assertThat(last.getCount()).as("the stage waits").isOne();
        } finally {
            end.countDown();
        }
        assertThat(last.await(10, TimeUnit.SECONDS))
                .as("the stage runs after the others")
                .isTrue();
    }

    /** The next attempt to start a thread is left to the watchdog. */
    @Test
    void shouldCallAListenerThatTheSystemHadNoThreadFor() throws InterruptedException {
        Queue<Runnable> watchdog = new ConcurrentLinkedQueue<>();
        RunThreads refused = new RunThreads((task, delay) -> watchdog.add(task));
        ThreadPoolExecutor executor = (ThreadPoolExecutor) Objects.requireNonNull(ReflectionTestUtils.getField(
                Objects.requireNonNull(ReflectionTestUtils.getField(refused, "listeners")), "thread"));
        ThreadFactory factory = executor.getThreadFactory();
        CountDownLatch called = new CountDownLatch(2);
        executor.setThreadFactory(task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });

        assertThat(refused.call(called::countDown)).as("the call is queued").isTrue();
        assertThat(refused.call(called::countDown))
                .as("the next call is queued")
                .isTrue();
        executor.setThreadFactory(factory);
        assertThat(watchdog).as("tasks of the watchdog").isNotEmpty();
        watchdog.forEach(Runnable::run);

        assertThat(called.await(10, TimeUnit.SECONDS))
                .as("both calls are made when there is a thread")
                .isTrue();
        refused.stop();
    }

    /** A queue that counts what has left it would be full for ever after so many events. */
    @Test
    void shouldCallListenersForMoreEventsThanTheQueueHasRoomFor() throws InterruptedException {
        for (int events = 0; events <= RunThreads.LISTENER_CALLS + 1_000; events += 1_000) {
            CountDownLatch called = new CountDownLatch(1_000);
            for (int i = 0; i < 1_000; i++) {
                assertThat(this.threads.call(called::countDown))
                        .as("the queue has room for event %s, because the others have left it", events + i)
                        .isTrue();
            }
            assertThat(called.await(10, TimeUnit.SECONDS))
                    .as("listeners are called for all events up to %s", events + 1_000)
                    .isTrue();
        }
    }

    @Test
    void shouldGiveEachOfManyStagesAThreadIfNoneBlocks() throws InterruptedException {
        for (int i = 0; i < 2 * RunThreads.GRANT_STAGES; i++) {
            CountDownLatch done = new CountDownLatch(1);
            assertThat(this.threads.completeGrant(done::countDown))
                    .as("stage %s has a thread, because fewer than %s run", i, RunThreads.GRANT_STAGES)
                    .isTrue();
            assertThat(done.await(10, TimeUnit.SECONDS)).as("stage %s runs", i).isTrue();
        }
    }

    @Test
    void shouldCountNoEventAsDroppedAfterTheStop() {
        this.threads.stop();

        assertThat(this.threads.call(() -> {}))
                .as("an event after the stop is ignored, and does not count as dropped")
                .isTrue();
    }

    @Test
    void shouldReportMissingLinesOnce() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch last = new CountDownLatch(1);
        CountDownLatch later = new CountDownLatch(1);
        try (LogCapture errors = new LogCapture(RunThreads.class, Level.ERROR)) {
            this.threads.log(() -> {
                begun.countDown();
                awaitUninterruptibly(end);
            });
            awaitUninterruptibly(begun);
            for (int i = 0; i < 99_999; i++) {
                this.threads.log(() -> {});
            }
            this.threads.log(last::countDown);
            for (int i = 0; i < 7; i++) {
                this.threads.log(() -> {});
            }
            end.countDown();
            awaitUninterruptibly(last);
            this.threads.log(later::countDown);
            awaitUninterruptibly(later);

            assertThat(errors.with("missing from the log"))
                    .as("lines that report missing lines")
                    .singleElement()
                    .asString()
                    .startsWith("7 messages");
        }
    }

    private static void awaitUninterruptibly(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }
}

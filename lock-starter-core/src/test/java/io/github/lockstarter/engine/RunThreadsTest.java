package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

    private static void awaitUninterruptibly(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }
}

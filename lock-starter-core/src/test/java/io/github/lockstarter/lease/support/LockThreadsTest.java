package io.github.lockstarter.lease.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each sort of work on threads of its own, not more of them than it needs, and none after the end. */
class LockThreadsTest {

    private final LockThreads threads = new LockThreads();

    @AfterEach
    void stop() {
        this.threads.shutdown();
        this.threads.shutdownNow();
    }

    /** All leases of an outage are lost in the same moment, and each may have somebody who wants to know. */
    @Test
    void shouldNotNeedAThreadForEachFutureThatIsCompleted() throws Exception {
        Set<Thread> used = ConcurrentHashMap.newKeySet();
        int futures = 3_000;
        CountDownLatch done = new CountDownLatch(futures);
        for (int i = 0; i < futures; i++) {
            this.threads.complete(() -> {
                used.add(Thread.currentThread());
                LockSupport.parkNanos(20_000_000);
                done.countDown();
            });
        }

        assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(used).hasSizeLessThan(300);
    }

    @Test
    void shouldCompleteFuturesWhileOthersBlock() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(32);
        for (int i = 0; i < 32; i++) {
            this.threads.complete(() -> {
                blocked.countDown();
                try {
                    end.await();
                } catch (InterruptedException ex) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        assertThat(blocked.await(20, TimeUnit.SECONDS)).isTrue();
        CountDownLatch completed = new CountDownLatch(1);

        this.threads.complete(completed::countDown);

        assertThat(completed.await(20, TimeUnit.SECONDS)).isTrue();
        end.countDown();
    }

    @Test
    void shouldRunLaterAndForgetWhatIsCancelled() {
        AtomicBoolean cancelled = new AtomicBoolean();
        AtomicBoolean ran = new AtomicBoolean();
        ScheduledFuture<?> never = this.threads.later(() -> cancelled.set(true), TimeUnit.MILLISECONDS.toNanos(200));
        ScheduledFuture<?> soon = this.threads.later(() -> ran.set(true), -1);

        assertThat(never.cancel(false)).isTrue();
        Awaitility.await().untilTrue(ran);
        Awaitility.await().during(Duration.ofMillis(300)).until(() -> !cancelled.get());

        assertThat(soon.isDone()).isTrue();
    }

    @Test
    void shouldDoNothingAfterTheEndButCompleteFutures() {
        this.threads.shutdown();
        AtomicBoolean completed = new AtomicBoolean();

        this.threads.complete(() -> completed.set(true));

        Awaitility.await().untilTrue(completed);
        assertThat(this.threads.io(() -> completed.set(false))).isFalse();
        assertThat((Object) this.threads.later(() -> completed.set(false), 0)).isNull();
        // the timer may be in the middle of a round
        assertThatCode(() -> this.threads.renew(() -> completed.set(false))).doesNotThrowAnyException();
        assertThat(completed).isTrue();
    }
}

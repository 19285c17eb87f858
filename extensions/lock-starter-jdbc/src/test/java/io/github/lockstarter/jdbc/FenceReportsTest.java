package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRequest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class FenceReportsTest {

    @Test
    void shouldDropEventsWhenListenersAreTooSlow() {
        CountDownLatch slow = new CountDownLatch(1);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        AtomicInteger published = new AtomicInteger();
        FenceReports reports = new FenceReports(
                event -> {
                    threads.add(Thread.currentThread());
                    try {
                        slow.await();
                    } catch (InterruptedException ex) {
                        throw new IllegalStateException(ex);
                    }
                    published.incrementAndGet();
                },
                null);
        for (int i = 0; i < 1_100; i++) {
            reports.refused(new TransactionRefusedEvent(
                    LockRequest.of("order"), 1, FenceOutcome.UNKNOWN, new LockException("no answer")));
        }
        slow.countDown();

        await().until(() -> published.get() >= 1_001);
        reports.destroy();
        assertThat(published)
                .as("one that was published, and those that waited")
                .hasValue(1_001);
        assertThat(threads).hasSize(1);
    }
}

package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
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

    @Test
    void shouldReportCountsByOutcomeAndTheLastRefusalWithoutItsKey() {
        FenceReports reports = new FenceReports(event -> {}, null);
        LockRequest order = LockRequest.of("order").withKey("secret");
        reports.answered(order, FenceOutcome.UNKNOWN, Duration.ofMillis(1));
        reports.answered(order, FenceOutcome.UNKNOWN, Duration.ofMillis(1));
        reports.refused(new TransactionRefusedEvent(order, 1, FenceOutcome.UNKNOWN, new LockException("no answer")));
        Map<String, Object> details = new HashMap<>();

        reports.addTo(details);
        reports.destroy();

        for (FenceOutcome outcome : FenceOutcome.values()) {
            assertThat(details.get(outcome.name().toLowerCase(Locale.ROOT)))
                    .as("the number of answers with the outcome %s", outcome)
                    .isEqualTo(outcome == FenceOutcome.UNKNOWN ? 2L : 0L);
        }
        assertThat(details.get("lastRefusal"))
                .as("the last refusal, which names the lock and the outcome")
                .asInstanceOf(MAP)
                .containsEntry("lock", "order")
                .containsEntry("outcome", "UNKNOWN");
        assertThat(details.toString())
                .as("the details, without the key of the lock")
                .doesNotContain("secret");
    }
}

package io.github.lockstarter.jdbc;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Reports what the fence does: by meters, application events, and details for the health and the endpoint. Events are
 * published on a separate thread, because a listener may use the database: the transaction of a late owner would refuse
 * the transaction of the listener. Thread-safe.
 */
final class FenceReports implements DisposableBean {

    /** Beyond it, events are dropped. */
    private static final int QUEUE = 1000;

    private static final LockLog logger = LockLog.of(FenceReports.class);

    private final ApplicationEventPublisher publisher;

    private final ThreadPoolTaskExecutor thread = new ThreadPoolTaskExecutor();

    private final @Nullable FenceMeters meters;

    private final Map<FenceOutcome, LongAdder> counts = new EnumMap<>(FenceOutcome.class);

    /** {@code null} if there was none. */
    private volatile @Nullable Map<String, Object> lastRefusal;

    /**
     * Creates reports.
     *
     * @param meters the meters, or {@code null} if there are none
     */
    FenceReports(ApplicationEventPublisher publisher, @Nullable FenceMeters meters) {
        this.publisher = publisher;
        this.meters = meters;
        for (FenceOutcome outcome : FenceOutcome.values()) {
            this.counts.put(outcome, new LongAdder());
        }
        this.thread.setThreadNamePrefix("lock-fence-event-");
        this.thread.setDaemon(true);
        this.thread.setMaxPoolSize(1);
        this.thread.setQueueCapacity(QUEUE);
        this.thread.setKeepAliveSeconds(30);
        this.thread.setAllowCoreThreadTimeOut(true);
        this.thread.initialize();
    }

    /** Counts the answer to the token of one lock. */
    void answered(LockRequest request, FenceOutcome outcome, Duration took) {
        Objects.requireNonNull(this.counts.get(outcome)).increment();
        if (this.meters != null) {
            this.meters.record(request.name(), outcome, took);
        }
    }

    /** Publishes the event later. */
    void refused(TransactionRefusedEvent event) {
        Map<String, Object> refusal = new LinkedHashMap<>();
        // The key is omitted, because it may be personal data.
        refusal.put("lock", event.name());
        refusal.put("outcome", event.outcome().name());
        refusal.put("at", Instant.now().toString());
        this.lastRefusal = refusal;
        try {
            this.thread.execute(() -> publish(event));
        } catch (TaskRejectedException ex) {
            logger.debug("A TransactionRefusedEvent was dropped, because listeners are too slow.", ex);
        }
    }

    private void publish(TransactionRefusedEvent event) {
        try {
            this.publisher.publishEvent(event);
        } catch (RuntimeException ex) {
            logger.warn("A listener of TransactionRefusedEvent has failed.", ex);
        }
    }

    @Override
    public void destroy() {
        this.thread.shutdown();
    }

    /** Adds the counts and the last refusal. */
    void addTo(Map<String, Object> details) {
        this.counts.forEach((outcome, count) -> details.put(outcome.name().toLowerCase(Locale.ROOT), count.sum()));
        Map<String, Object> last = this.lastRefusal;
        if (last != null) {
            details.put("lastRefusal", last);
        }
    }
}

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
import org.springframework.context.ApplicationEventPublisher;

/** Reports what the fence does: by meters, application events, and details for the health and the endpoint. Thread-safe. */
final class FenceReports {

    private static final LockLog logger = LockLog.of(FenceReports.class);

    private final ApplicationEventPublisher publisher;

    private final @Nullable FenceMeters meters;

    private final Map<FenceOutcome, LongAdder> counts = new EnumMap<>(FenceOutcome.class);

    /** Null: there was none. */
    private volatile @Nullable Map<String, Object> lastRefusal;

    /**
     * Creates reports.
     *
     * @param meters null: none
     */
    FenceReports(ApplicationEventPublisher publisher, @Nullable FenceMeters meters) {
        this.publisher = publisher;
        this.meters = meters;
        for (FenceOutcome outcome : FenceOutcome.values()) {
            this.counts.put(outcome, new LongAdder());
        }
    }

    /** Counts the answer to the token of one lock. */
    void answered(LockRequest request, FenceOutcome outcome, Duration took) {
        Objects.requireNonNull(this.counts.get(outcome)).increment();
        if (this.meters != null) {
            this.meters.record(request.name(), outcome, took);
        }
    }

    /** Publishes the event. */
    void refused(TransactionRefusedEvent event) {
        Map<String, Object> refusal = new LinkedHashMap<>();
        // Without the key, which may be personal data
        refusal.put("lock", event.name());
        refusal.put("outcome", event.outcome().name());
        refusal.put("at", Instant.now().toString());
        this.lastRefusal = refusal;
        try {
            this.publisher.publishEvent(event);
        } catch (RuntimeException ex) {
            logger.warn("A listener of TransactionRefusedEvent has failed.", ex);
        }
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

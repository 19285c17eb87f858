package io.github.lockstarter.sample.live;

import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.jdbc.FenceOutcome;
import io.github.lockstarter.jdbc.TransactionRefusedEvent;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import reactor.core.publisher.BufferOverflowStrategy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/**
 * Publishes the events of this instance's locks. A bean of type {@link LockListener} is all that is needed; the library
 * calls it on a thread of its own, so that it cannot delay a lock.
 */
@Component
class LiveNews implements LockListener {

    /** News that wait for a slow page; older ones are dropped. */
    private static final int BACKLOG = 1000;

    /** How long news are repeated to a page that is opened or loaded again. */
    private static final Duration REPEATED = Duration.ofMinutes(1);

    private final Sinks.Many<News> news = Sinks.many().replay().limit(BACKLOG, REPEATED);

    private long last;

    /**
     * An event of a lock.
     *
     * @param at time in milliseconds since 1970, which grows with each event so that a page recognizes repeated ones
     * @param token fencing token, which has 51 bits and so fits into a number of JavaScript; null: none was granted
     * @param waited how long the acquisition waited; null for other events
     * @param detail the reason of a loss, or the outcome; null: none
     */
    record News(
            String type,
            long at,
            String lock,
            LockMode mode,
            @Nullable Long token,
            @Nullable Duration waited,
            @Nullable String detail) {}

    /** Returns the news of the last minute, and those from now on. */
    Flux<News> news() {
        return news.asFlux().onBackpressureBuffer(BACKLOG, dropped -> {}, BufferOverflowStrategy.DROP_OLDEST);
    }

    @Override
    public void acquired(LockAcquiredEvent event) {
        publish("acquired", event, event.waited(), null);
    }

    @Override
    public void notAcquired(LockNotAcquiredEvent event) {
        publish("refused", event, event.waited(), event.outcome());
    }

    @Override
    public void renewed(LockRenewedEvent event) {
        publish("renewed", event, null, null);
    }

    @Override
    public void renewalFailed(LockRenewalFailedEvent event) {
        publish("renewal-failed", event, null, event.lossReason());
    }

    @Override
    public void atRisk(LockAtRiskEvent event) {
        publish("at-risk", event, null, null);
    }

    @Override
    public void recovered(LockRecoveredEvent event) {
        publish("recovered", event, null, null);
    }

    @Override
    public void lost(LockLostEvent event) {
        publish("lost", event, null, event.reason());
    }

    @Override
    public void released(LockReleasedEvent event) {
        publish("released", event, null, event.outcome());
    }

    /** Called when the database has refused a transaction, on a thread of the library. */
    @EventListener
    void refused(TransactionRefusedEvent event) {
        if (event.outcome() == FenceOutcome.REFUSED) {
            publish("write-refused", event, null, null);
        }
    }

    /** Publishes an event. Two threads call this, and a sink rejects concurrent emissions. */
    private synchronized void publish(
            String type, LockEvent event, @Nullable Duration waited, @Nullable Enum<?> detail) {
        Long token = event instanceof LockEvent.OfGrant grant
                ? (Long) grant.fencingToken()
                : event instanceof TransactionRefusedEvent refused ? (Long) refused.fencingToken() : null;
        last = Math.max(last + 1, System.currentTimeMillis());
        News item = new News(
                type, last, event.lockName(), event.mode(), token, waited, detail != null ? detail.name() : null);
        news.emitNext(item, Sinks.EmitFailureHandler.FAIL_FAST);
    }
}

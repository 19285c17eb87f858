package io.github.lockstarter.sample.live;

import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRenewedEvent;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import reactor.core.publisher.BufferOverflowStrategy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/**
 * Turns the events of this instance's locks into news for the live page. A bean of type {@link LockListener} is all that is
 * needed: the library calls it on a thread of its own, so that it cannot delay a lock.
 */
@Component
class LiveFeed implements LockListener {

    /** News that a slow page may have in store; older ones are dropped for it. */
    private static final int BACKLOG = 500;

    /** Longest time that an attempt without a wait takes: to be refused then is no trouble. */
    private static final Duration ONE_ATTEMPT = Duration.ofMillis(100);

    /** Longest time for which a thread tries to publish beside others. */
    private static final Duration EMISSION = Duration.ofSeconds(1);

    private final Sinks.Many<LockNews> news = Sinks.many().multicast().directBestEffort();

    /** Returns the news from now on. */
    Flux<LockNews> news() {
        return news.asFlux().onBackpressureBuffer(BACKLOG, dropped -> {}, BufferOverflowStrategy.DROP_OLDEST);
    }

    /** Publishes something that is no event of a lock, such as a refused write. */
    void publish(LockNews item) {
        // other threads publish as well, and a sink rejects concurrent emissions
        news.emitNext(item, Sinks.EmitFailureHandler.busyLooping(EMISSION));
    }

    @Override
    public void acquired(LockAcquiredEvent event) {
        publish(LockNews.of("acquired", event.lockName(), event.fencingToken(), "after " + text(event.waited())));
    }

    @Override
    public void notAcquired(LockNotAcquiredEvent event) {
        boolean waited = event.waited().compareTo(ONE_ATTEMPT) > 0;
        publish(LockNews.of(
                waited ? "not acquired" : "not free",
                event.lockName(),
                null,
                text(event.outcome()) + " after " + text(event.waited())));
    }

    @Override
    public void renewed(LockRenewedEvent event) {
        publish(LockNews.of("renewed", event.lockName(), event.fencingToken(), "took " + text(event.took())));
    }

    @Override
    public void renewalFailed(LockRenewalFailedEvent event) {
        publish(LockNews.of(
                "renewal failed", event.lockName(), event.fencingToken(), reason(event.lossReason(), event.cause())));
    }

    @Override
    public void atRisk(LockAtRiskEvent event) {
        publish(LockNews.of(
                "at risk",
                event.lockName(),
                event.fencingToken(),
                reason(null, event.cause()) + "; lost in " + text(event.remaining()) + " unless a renewal succeeds"));
    }

    @Override
    public void recovered(LockRecoveredEvent event) {
        publish(LockNews.of("recovered", event.lockName(), event.fencingToken(), "renewed again"));
    }

    @Override
    public void lost(LockLostEvent event) {
        publish(LockNews.of(
                "lost",
                event.lockName(),
                event.fencingToken(),
                text(event.reason()) + ", held for " + text(event.heldFor())));
    }

    @Override
    public void released(LockReleasedEvent event) {
        publish(LockNews.of(
                "released",
                event.lockName(),
                event.fencingToken(),
                (event.outcome() == LockReleasedEvent.Outcome.RELEASED ? "" : text(event.outcome()) + ", ")
                        + "held for " + text(event.heldFor())));
    }

    @Override
    public void handedOver(LockHandedOverEvent event) {
        publish(LockNews.of(
                "handed over",
                event.lockName(),
                event.fencingToken(),
                event.kind() == LockHandedOverEvent.Kind.LOCAL ? "inside this instance" : "from another instance"));
    }

    private static String reason(@Nullable Enum<?> lossReason, @Nullable Throwable cause) {
        if (lossReason != null) {
            return text(lossReason);
        }
        return cause == null ? "no reply yet" : String.valueOf(cause.getMessage());
    }

    private static String text(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static String text(Duration duration) {
        long millis = duration.toMillis();
        return millis < 1000 ? millis + " ms" : "%.1f s".formatted(millis / 1000.0);
    }
}

package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.event.EventObservers;
import io.github.lockstarter.lease.event.EventTopic;
import io.github.lockstarter.lease.event.MeterListener;
import io.github.lockstarter.lease.support.LeaseClock;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Publishes the events of leases, those of one lease in the order in which they happened. */
public final class LeaseEvents {

    private final LeaseClock clock;

    private final @Nullable MeterListener meters;

    private final ReentrantLock[] order =
            Stream.generate(ReentrantLock::new).limit(64).toArray(ReentrantLock[]::new);

    private final EventTopic<LockAcquiredEvent> acquired;

    private final EventTopic<LockNotAcquiredEvent> notAcquired;

    private final EventTopic<LockRenewedEvent> renewed;

    private final EventTopic<LockRenewalFailedEvent> renewalFailed;

    private final EventTopic<LockAtRiskEvent> atRisk;

    private final EventTopic<LockRecoveredEvent> recovered;

    private final EventTopic<LockLostEvent> lost;

    private final EventTopic<LockReleasedEvent> released;

    private final EventTopic<LockHandedOverEvent> handedOver;

    public LeaseEvents(LeaseClock clock, EventObservers observers) {
        this.clock = clock;
        this.meters = observers.meters();
        var topics = new Object() {
            <E extends LockEvent> EventTopic<E> topic(String method, Class<E> type, BiConsumer<LockListener, E> call) {
                return new EventTopic<>(method, type, call, observers, false);
            }

            <E extends LockEvent> EventTopic<E> logged(String method, Class<E> type, BiConsumer<LockListener, E> call) {
                return new EventTopic<>(method, type, call, observers, true);
            }
        };
        this.acquired = topics.topic("acquired", LockAcquiredEvent.class, LockListener::acquired);
        this.notAcquired = topics.topic("notAcquired", LockNotAcquiredEvent.class, LockListener::notAcquired);
        this.renewed = topics.topic("renewed", LockRenewedEvent.class, LockListener::renewed);
        this.renewalFailed = topics.topic("renewalFailed", LockRenewalFailedEvent.class, LockListener::renewalFailed);
        this.atRisk = topics.logged("atRisk", LockAtRiskEvent.class, LockListener::atRisk);
        this.recovered = topics.logged("recovered", LockRecoveredEvent.class, LockListener::recovered);
        this.lost = topics.logged("lost", LockLostEvent.class, LockListener::lost);
        this.released = topics.topic("released", LockReleasedEvent.class, LockListener::released);
        this.handedOver = topics.topic("handedOver", LockHandedOverEvent.class, LockListener::handedOver);
    }

    /** Reports to the meters that an acquisition begins to wait, or that its wait is over. */
    public void waiting(LockRequest request, boolean began) {
        if (this.meters != null && began) {
            this.meters.waitBegan(request);
        } else if (this.meters != null) {
            this.meters.waitEnded(request);
        }
    }

    void acquired(Grant grant, long startedAt) {
        this.acquired.publish(() -> new LockAcquiredEvent(
                grant.request().name(),
                grant.request().key(),
                grant.request().mode(),
                grant.fencingToken(),
                grant.acquisitionId(),
                since(startedAt)));
    }

    /** Publishes that a lock came directly from its last owner. */
    void handedOver(Grant grant, LockHandedOverEvent.Kind kind) {
        this.handedOver.publish(() -> new LockHandedOverEvent(
                grant.request().name(),
                grant.request().key(),
                grant.request().mode(),
                grant.fencingToken(),
                grant.acquisitionId(),
                kind));
    }

    public void notAcquired(
            LockRequest request, LockNotAcquiredEvent.Outcome outcome, long startedAt, @Nullable Throwable cause) {
        this.notAcquired.publish(() -> new LockNotAcquiredEvent(
                request.name(), request.key(), request.mode(), outcome, since(startedAt), cause));
    }

    /** Publishes a renewal if the grant is live; returns false if it has ended, after which no event of it may follow. */
    boolean renewed(Grant grant, long sentAt) {
        return inOrder(
                grant,
                grant::isLive,
                this.renewed,
                () -> new LockRenewedEvent(
                        grant.request().name(),
                        grant.request().key(),
                        grant.request().mode(),
                        grant.fencingToken(),
                        grant.acquisitionId(),
                        since(sentAt)));
    }

    /** Publishes a failed renewal if the grant is live; returns false if it has ended. */
    boolean renewalFailed(Grant grant, long sentAt, @Nullable LossReason reason, @Nullable Throwable cause) {
        return inOrder(
                grant,
                grant::isLive,
                this.renewalFailed,
                () -> new LockRenewalFailedEvent(
                        grant.request().name(),
                        grant.request().key(),
                        grant.request().mode(),
                        grant.fencingToken(),
                        grant.acquisitionId(),
                        since(sentAt),
                        reason,
                        cause));
    }

    /** Makes the transition, and publishes the event if it was made. */
    void atRisk(Grant grant, @Nullable Throwable cause, BooleanSupplier transition) {
        inOrder(
                grant,
                transition,
                this.atRisk,
                () -> new LockAtRiskEvent(
                        grant.request().name(),
                        grant.request().key(),
                        grant.request().mode(),
                        grant.fencingToken(),
                        grant.acquisitionId(),
                        until(grant.validUntil()),
                        cause));
    }

    /** Makes the transition, and publishes the event if it was made. */
    void recovered(Grant grant, BooleanSupplier transition) {
        inOrder(
                grant,
                transition,
                this.recovered,
                () -> new LockRecoveredEvent(
                        grant.request().name(),
                        grant.request().key(),
                        grant.request().mode(),
                        grant.fencingToken(),
                        grant.acquisitionId(),
                        until(grant.validUntil())));
    }

    /** Makes the transition, and publishes the event if it was made; returns false if it was not. */
    boolean lost(Grant grant, LossReason reason, BooleanSupplier transition) {
        return inOrder(
                grant,
                transition,
                this.lost,
                () -> new LockLostEvent(
                        grant.request().name(),
                        grant.request().key(),
                        grant.request().mode(),
                        grant.fencingToken(),
                        grant.acquisitionId(),
                        reason,
                        since(grant.grantedAt())));
    }

    public void released(Grant grant, LockReleasedEvent.Outcome outcome, @Nullable Throwable cause) {
        inOrder(
                grant,
                () -> true,
                this.released,
                () -> new LockReleasedEvent(
                        grant.request().name(),
                        grant.request().key(),
                        grant.request().mode(),
                        grant.fencingToken(),
                        grant.acquisitionId(),
                        outcome,
                        since(grant.grantedAt()),
                        cause));
    }

    /**
     * Makes a transition and publishes its event in one step for all threads that use the same grant: otherwise the owner
     * could see a loss and publish the release before the event of the loss.
     */
    private <E extends LockEvent> boolean inOrder(
            Grant grant, BooleanSupplier transition, EventTopic<E> topic, Supplier<E> event) {
        if (!topic.isObserved()) {
            return transition.getAsBoolean();
        }
        ReentrantLock lock = this.order[(int) grant.fencingToken() & (this.order.length - 1)];
        lock.lock();
        try {
            boolean made = transition.getAsBoolean();
            if (made) {
                topic.publish(event);
            }
            return made;
        } finally {
            lock.unlock();
        }
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(this.clock.nanoTime() - nanos);
    }

    private Duration until(long nanos) {
        return Duration.ofNanos(Math.max(0, nanos - this.clock.nanoTime()));
    }
}

package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockReleaseRequestedEvent;
import org.springframework.context.ApplicationEventPublisher;

/** Publishes the events of leases that are at risk or lost, and of requests to release them, as application events. */
final class LockEventPublisher implements LockListener {

    private final ApplicationEventPublisher publisher;

    LockEventPublisher(ApplicationEventPublisher publisher) {
        this.publisher = publisher;
    }

    @Override
    public void atRisk(LockAtRiskEvent event) {
        this.publisher.publishEvent(event);
    }

    @Override
    public void releaseRequested(LockReleaseRequestedEvent event) {
        this.publisher.publishEvent(event);
    }

    @Override
    public void lost(LockLostEvent event) {
        this.publisher.publishEvent(event);
    }
}

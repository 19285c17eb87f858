package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import org.springframework.context.ApplicationEventPublisher;

/** Makes application events of what an application may want to react to. */
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
    public void lost(LockLostEvent event) {
        this.publisher.publishEvent(event);
    }
}

package io.github.lockstarter.faults;

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
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What listeners were told. */
final class EventLog implements LockListener {

    private final Queue<LockEvent> events = new ConcurrentLinkedQueue<>();

    <E extends LockEvent> List<E> all(Class<E> type) {
        return this.events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    <E extends LockEvent> long count(Class<E> type) {
        return this.events.stream().filter(type::isInstance).count();
    }

    <E extends LockEvent> long count(Class<E> type, String lockName) {
        return this.events.stream()
                .filter(event -> type.isInstance(event) && event.lockName().equals(lockName))
                .count();
    }

    void forget() {
        this.events.clear();
    }

    @Override
    public void acquired(LockAcquiredEvent event) {
        this.events.add(event);
    }

    @Override
    public void notAcquired(LockNotAcquiredEvent event) {
        this.events.add(event);
    }

    @Override
    public void renewed(LockRenewedEvent event) {
        this.events.add(event);
    }

    @Override
    public void renewalFailed(LockRenewalFailedEvent event) {
        this.events.add(event);
    }

    @Override
    public void atRisk(LockAtRiskEvent event) {
        this.events.add(event);
    }

    @Override
    public void recovered(LockRecoveredEvent event) {
        this.events.add(event);
    }

    @Override
    public void lost(LockLostEvent event) {
        this.events.add(event);
    }

    @Override
    public void released(LockReleasedEvent event) {
        this.events.add(event);
    }

    @Override
    public void handedOver(LockHandedOverEvent event) {
        this.events.add(event);
    }
}

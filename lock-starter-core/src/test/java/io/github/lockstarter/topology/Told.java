package io.github.lockstarter.topology;

import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewedEvent;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What the listeners of an instance were told. */
final class Told implements LockListener {

    private final Queue<LockEvent> events = new ConcurrentLinkedQueue<>();

    long count(Class<? extends LockEvent> type, String lockName) {
        return this.events.stream()
                .filter(event -> type.isInstance(event) && event.lockName().equals(lockName))
                .count();
    }

    /** How often a lock was handed to this instance by another one, with a message. */
    long handOversFromOthers() {
        return this.events.stream()
                .filter(event -> event instanceof LockHandedOverEvent handedOver
                        && handedOver.kind() == LockHandedOverEvent.Kind.REMOTE)
                .count();
    }

    @Override
    public void renewed(LockRenewedEvent event) {
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
    public void handedOver(LockHandedOverEvent event) {
        this.events.add(event);
    }
}

package io.github.lockstarter.lease;

import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewedEvent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what it hears of leases, in order. */
final class Heard implements LockListener {

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();

    List<LockEvent> all() {
        return this.events;
    }

    <E extends LockEvent> List<E> all(Class<E> type) {
        return this.events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Override
    public void acquired(LockAcquiredEvent event) {
        this.events.add(event);
    }

    @Override
    public void handedOver(LockHandedOverEvent event) {
        this.events.add(event);
    }

    @Override
    public void renewed(LockRenewedEvent event) {
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
}

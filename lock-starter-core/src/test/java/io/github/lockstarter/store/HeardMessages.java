package io.github.lockstarter.store;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps what a store says about waiting. */
final class HeardMessages implements WaitingListener {

    private final List<String> handedOver = new CopyOnWriteArrayList<>();

    private final AtomicInteger missed = new AtomicInteger();

    /** Names of the locks that were handed over, in their order. */
    List<String> handedOver() {
        return List.copyOf(this.handedOver);
    }

    /** How often some may have been missed. */
    int missed() {
        return this.missed.get();
    }

    @Override
    public void handedOver(String lockName) {
        this.handedOver.add(lockName);
    }

    @Override
    public void missedSome() {
        this.missed.incrementAndGet();
    }
}

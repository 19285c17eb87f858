package io.github.lockstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Transfers leases to the publisher that works under them. Reactor silently drops a value that is emitted during a
 * cancellation. Therefore the publisher must accept the leases; those that are not accepted are released. Thread-safe.
 */
final class LeaseOffer {

    private final AtomicReference<@Nullable HeldLeases> open = new AtomicReference<>();

    private volatile boolean withdrawn;

    /** Emits the leases, and releases them if the offer has been withdrawn. */
    void emit(HeldLeases leases, Consumer<HeldLeases> sink) {
        this.open.set(leases);
        sink.accept(leases);
        if (this.withdrawn) {
            release();
        }
    }

    /** Returns whether the publisher now owns the leases; false if they were released. */
    boolean accept() {
        return this.open.getAndSet(null) != null;
    }

    /** Withdraws the offer after a cancellation. */
    void withdraw() {
        this.withdrawn = true;
        release();
    }

    private void release() {
        HeldLeases leases = this.open.getAndSet(null);
        if (leases != null) {
            CompletableFuture<?> unused = leases.release();
        }
    }
}

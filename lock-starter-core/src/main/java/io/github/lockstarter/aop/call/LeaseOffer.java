package io.github.lockstarter.aop.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Leases on their way to the publisher that works under them. Reactor drops what is emitted at the very moment of a
 * cancellation, and reports that to nothing; so the leases have to be accepted, or they are taken back.
 */
final class LeaseOffer {

    private final AtomicReference<@Nullable HeldLeases> open = new AtomicReference<>();

    private volatile boolean withdrawn;

    void make(HeldLeases leases, Consumer<HeldLeases> to) {
        this.open.set(leases);
        to.accept(leases);
        if (this.withdrawn) {
            takeBack();
        }
    }

    /** The publisher works under the leases from now on; false if they were taken back. */
    boolean accept() {
        return this.open.getAndSet(null) != null;
    }

    /** The subscription was cancelled. */
    void withdraw() {
        this.withdrawn = true;
        takeBack();
    }

    private void takeBack() {
        HeldLeases leases = this.open.getAndSet(null);
        if (leases != null) {
            CompletableFuture<?> unused = leases.release();
        }
    }
}

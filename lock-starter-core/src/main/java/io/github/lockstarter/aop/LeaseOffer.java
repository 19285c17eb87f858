package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease on its way from who granted it to who wants it. Reactor drops what is emitted in the very moment of a
 * cancellation and need not tell anybody; so somebody has to accept the lease, or it is taken back.
 */
final class LeaseOffer {

    private final Executor releases;

    private final AtomicReference<@Nullable Lease> open = new AtomicReference<>();

    private volatile boolean withdrawn;

    /** A release waits for the store, and so runs there. */
    LeaseOffer(Executor releases) {
        this.releases = releases;
    }

    void make(Lease lease, Consumer<Lease> to) {
        this.open.set(lease);
        to.accept(lease);
        if (this.withdrawn) {
            takeBack();
        }
    }

    /** Whoever is offered the lease has it from now on; false if it was taken back. */
    boolean accept() {
        return this.open.getAndSet(null) != null;
    }

    /** Nobody wants it any more. */
    void withdraw() {
        this.withdrawn = true;
        takeBack();
    }

    private void takeBack() {
        Lease lease = this.open.getAndSet(null);
        if (lease != null) {
            this.releases.execute(lease::close);
        }
    }
}

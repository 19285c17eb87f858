package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Interleavings;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of the reply to a renewal that was sent ahead, and of the waiter that begins its grant with it and hands it
 * over: the reply is applied once, and the grant that has the lease in the end has its validity.
 */
public class RenewalAttemptModelTest implements RenewalAttempt.Outcome {

    private static final LockRequest REQUEST = LockRequest.of("orders:42");

    private static final long LEASE = 60_000;

    private final AtomicInteger applied = new AtomicInteger();

    private final RenewalAttempt attempt = new RenewalAttempt("orders:42", "id", LEASE, this);

    private final Grant grant = new Grant(REQUEST, "id", 7, 0, null);

    private volatile Grant successor;

    public RenewalAttemptModelTest() {
        this.grant.extend(0, 1, 2_000);
        this.grant.setUnconfirmed();
        this.attempt.sending(1, 1, 1);
    }

    @Override
    public void renewed(Grant target, RenewalAttempt renewed) {
        this.applied.incrementAndGet();
        target.renewalSucceeded(true);
    }

    @Override
    public void lost(Grant target, RenewalAttempt lost, LossReason reason) {
        throw new IllegalStateException("lost");
    }

    @Override
    public void failed(Grant target, RenewalAttempt failed, LockStoreException cause) {
        throw new IllegalStateException("failed");
    }

    @Operation(runOnce = true)
    public void reply() {
        this.attempt.renewed();
    }

    /** As {@link Renewer#awaitConfirmation} and {@link Renewer#handedOver}. */
    @Operation(runOnce = true)
    public void beginAndHandOver() {
        this.grant.renewalSent(this.attempt, 1);
        this.attempt.attachTo(this.grant);
        Grant next = new Grant(this.grant, REQUEST, 2, null);
        if (next.renewal() == this.attempt && !this.attempt.moveTo(this.grant, next)) {
            next.catchUpWith(this.grant, this.attempt);
        }
        this.successor = next;
    }

    @Validate
    public void shouldHaveTheValidityOfTheReply() {
        if (this.applied.get() != 1) {
            throw new IllegalStateException("applied " + this.applied + " times");
        }
        long expected = 1 + TimeUnit.MILLISECONDS.toNanos(LEASE) - LeaseValidity.marginNanos(LEASE);
        if (this.successor.validUntil() != expected) {
            throw new IllegalStateException("valid until " + this.successor.validUntil());
        }
        if (this.successor.renewal() != null) {
            throw new IllegalStateException("waits for a reply that has been");
        }
    }

    @Test
    void shouldHoldInEveryInterleaving() {
        Interleavings.check(RenewalAttemptModelTest.class, 2, 100);
    }
}

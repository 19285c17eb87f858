package io.github.lockstarter.lease.queue;

import io.github.lockstarter.fixture.Interleavings;
import io.github.lockstarter.lease.HandClock;
import io.github.lockstarter.lease.support.LeaseClock;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of a waiter that gives up, a message that is believed, and one that causes a claim: what has been sent for
 * the ticket is known to the clean-up, and what the waiter takes is not released by it.
 */
public class LineTicketCloseModelTest {

    private static final long LEASE = 60_000;

    private final LeaseClock clock = new HandClock();

    private final ClaimLease claimLease = new ClaimLease(this.clock, 2_000, 1_800_000_000);

    private final LineTicket ticket = new LineTicket("id", this.clock);

    private volatile boolean sent;

    private volatile boolean taken;

    private volatile boolean left;

    private volatile long unanswered;

    private volatile boolean known;

    public LineTicketCloseModelTest() {
        this.ticket.taken(true);
        this.ticket.notOwner(new LineBase(this.clock.nanoTime(), this.clock.currentTimeMillis(), 1), this.claimLease);
    }

    /** Takes what is there, or leaves: never both. */
    @Operation(runOnce = true)
    public void giveUp() {
        this.taken = this.ticket.takeClaim(LEASE) != null;
        this.left = !this.taken;
        this.known = this.ticket.isKnown();
        this.unanswered = this.ticket.close();
    }

    @Operation(runOnce = true)
    public void message() {
        LineBase base = this.ticket.baseOf(2);
        if (base != null) {
            boolean unused = this.ticket.believe(Claim.believed(base, 2_000, 2, ConfirmingRenewal.of(LEASE)));
        }
    }

    @Operation(runOnce = true)
    public void hint() {
        this.sent = this.ticket.beginClaim(Claim.sent(this.clock, LEASE));
    }

    @Validate
    public void shouldCleanUpAll() {
        if (this.sent && this.unanswered != LEASE) {
            throw new IllegalStateException("the claim is not cleaned up: " + this.unanswered);
        }
        if (this.left && !this.known) {
            throw new IllegalStateException("the ticket stays in the line");
        }
        if (this.ticket.baseOf(3) != null || this.ticket.beginClaim(Claim.sent(this.clock, LEASE))) {
            throw new IllegalStateException("something follows the end of the ticket");
        }
    }

    @Test
    void shouldHoldInEveryInterleaving() {
        Interleavings.check(LineTicketCloseModelTest.class, 3, 300);
    }
}

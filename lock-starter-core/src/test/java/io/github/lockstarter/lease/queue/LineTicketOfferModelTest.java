package io.github.lockstarter.lease.queue;

import io.github.lockstarter.fixture.Interleavings;
import io.github.lockstarter.lease.support.LeaseClock;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of two releases that offer their permits to a waiter, and of the waiter, which gives up: each grant has
 * exactly one owner in the end, which is the waiter, the clean-up of its ticket, or the release that offered it.
 */
public class LineTicketOfferModelTest {

    private final LineTicket ticket = new LineTicket("id", LeaseClock.SYSTEM);

    private final Offered first = new Offered();

    private final Offered second = new Offered();

    private static final class Offered implements OfferedGrant {

        private final AtomicInteger owners = new AtomicInteger();

        @Override
        public void abandon() {
            this.owners.incrementAndGet();
        }
    }

    private void offer(Offered grant) {
        if (!this.ticket.offer(grant)) {
            grant.owners.incrementAndGet();
        }
    }

    @Operation(runOnce = true)
    public void offerFirst() {
        offer(this.first);
    }

    @Operation(runOnce = true)
    public void offerSecond() {
        offer(this.second);
    }

    @Operation(runOnce = true)
    public void giveUp() {
        if (this.ticket.takeOffer() instanceof Offered taken) {
            taken.owners.incrementAndGet();
        }
        this.ticket.close();
    }

    @Validate
    public void shouldHaveOneOwnerEach() {
        if (this.first.owners.get() != 1 || this.second.owners.get() != 1) {
            throw new IllegalStateException(this.first.owners + " and " + this.second.owners + " owners");
        }
    }

    @Test
    void shouldHoldInEveryInterleaving() {
        Interleavings.check(LineTicketOfferModelTest.class, 3, 150);
    }
}

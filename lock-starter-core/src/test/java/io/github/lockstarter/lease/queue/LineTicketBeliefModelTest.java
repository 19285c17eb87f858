package io.github.lockstarter.lease.queue;

import io.github.lockstarter.fixture.Interleavings;
import io.github.lockstarter.lease.HandClock;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.GrantKind;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of a waiter that asks, a message that is believed, and one that causes a claim: the waiter does not wait in
 * vain, and a claim that is on its way is not forgotten.
 */
public class LineTicketBeliefModelTest {

    private static final String NAME = "orders:42";

    private static final long LEASE = 60_000;

    private final LeaseClock clock = new HandClock();

    private final LocalQueues<Grant> queues = new LocalQueues<>(kind -> new LineTicket("id", this.clock));

    private final QueueNode<Grant> waiter = this.queues.enter(NAME, null);

    private final LineTicket ticket = this.waiter.ticket();

    private final AtomicInteger woken = new AtomicInteger();

    private volatile Claim sent;

    private volatile boolean believed;

    private volatile boolean waits;

    public LineTicketBeliefModelTest() {
        this.waiter.onWake(this.woken::incrementAndGet);
    }

    /** As an attempt: what is there is taken before the question, and after the reply that the lock is taken. */
    @Operation(runOnce = true)
    public void ask() {
        Claim claim = this.ticket.takeClaim(LEASE);
        if (claim == null) {
            this.ticket.asking(1);
            this.ticket.answered(null);
            this.ticket.taken(true);
            claim = this.ticket.takeClaim(LEASE);
        }
        this.believed = claim != null && claim.confirmation() != null;
        if (this.believed) {
            this.ticket.close();
        }
        this.waits = claim == null && !this.ticket.isNoticed();
    }

    @Operation(runOnce = true)
    public void message() {
        this.queues.forFirst(NAME, GrantKind.EXCLUSIVE, (first, its) -> {
            if (its.believe(Claim.believed(new LineBase(1, 1, 1), 2_000, 2, ConfirmingRenewal.of(LEASE)))) {
                its.noticeHandOver();
                first.wake();
            }
        });
    }

    @Operation(runOnce = true)
    public void hint() {
        this.queues.forFirst(NAME, GrantKind.EXCLUSIVE, (first, its) -> {
            its.noticeHandOver();
            Claim claim = Claim.sent(this.clock, LEASE);
            if (its.beginClaim(claim)) {
                this.sent = claim;
            } else {
                first.wake();
            }
        });
    }

    @Validate
    public void shouldForgetNothing() {
        if (this.sent != null && this.ticket.unansweredMillis() != LEASE) {
            throw new IllegalStateException("a claim that is on its way was forgotten");
        }
        if (this.waits && this.sent == null && this.woken.get() == 0) {
            throw new IllegalStateException("it waits, and the messages have been");
        }
    }

    @Test
    void shouldHoldInEveryInterleaving() {
        Interleavings.check(LineTicketBeliefModelTest.class, 3, 300);
    }
}

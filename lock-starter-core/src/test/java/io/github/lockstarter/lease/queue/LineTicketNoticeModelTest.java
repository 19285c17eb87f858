package io.github.lockstarter.lease.queue;

import io.github.lockstarter.fixture.Interleavings;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.support.LeaseClock;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of a release that puts the next waiter into the line, the waiter that begins to wait, and the message that
 * the lock is its own: it is woken, or has seen the message before it waits.
 */
public class LineTicketNoticeModelTest {

    private static final String NAME = "orders:42";

    private final LocalQueues<Grant> queues = new LocalQueues<>(kind -> new LineTicket("first", LeaseClock.SYSTEM));

    private final LineTicket next = new LineTicket("next", LeaseClock.SYSTEM);

    private final QueueNode<Grant> holder = this.queues.enter(NAME, null);

    private final QueueNode<Grant> waiter = this.queues.enter(NAME, null);

    private final AtomicInteger woken = new AtomicInteger();

    private volatile boolean waits;

    public LineTicketNoticeModelTest() {
        this.holder.settle();
        this.holder.prepare(this.next);
    }

    /** The answer to the release says that the next one stands in the line. */
    @Operation(runOnce = true)
    public void release() {
        this.next.queued(1);
        this.queues.leave(this.holder, this.next);
    }

    @Operation(runOnce = true)
    public void waitForMessage() {
        this.waiter.join();
        this.waiter.onWake(this.woken::incrementAndGet);
        LineTicket ticket = this.waiter.ticket();
        this.waits = ticket.restNanos(2, 1000) > 0;
    }

    @Operation(runOnce = true)
    public void message() {
        HandOverNotice.of(this.queues, NAME);
    }

    @Validate
    public void shouldNotWaitInVain() {
        if (this.waits && this.woken.get() == 0) {
            throw new IllegalStateException("it waits, and the message has been");
        }
    }

    @Test
    void shouldHoldInEveryInterleaving() {
        Interleavings.check(LineTicketNoticeModelTest.class, 3, 300);
    }
}

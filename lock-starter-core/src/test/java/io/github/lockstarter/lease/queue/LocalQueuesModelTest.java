package io.github.lockstarter.lease.queue;

import io.github.lockstarter.fixture.Interleavings;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.support.LeaseClock;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of a first one who leaves and of two who wait and give up: one turn at a time, nobody is forgotten, and
 * the place is inherited until the last one ends it, once.
 */
public class LocalQueuesModelTest {

    private static final String NAME = "orders:42";

    private final AtomicInteger made = new AtomicInteger();

    private final AtomicInteger ended = new AtomicInteger();

    private final AtomicInteger inside = new AtomicInteger();

    private final LocalQueues<Grant> queues =
            new LocalQueues<>(kind -> new LineTicket(Integer.toString(this.made.incrementAndGet()), LeaseClock.SYSTEM));

    private final QueueNode<Grant> first = this.queues.enter(NAME, null);

    private final QueueNode<Grant> second = this.queues.enter(NAME, null);

    private final QueueNode<Grant> third = this.queues.enter(NAME, null);

    @Operation(runOnce = true)
    public void leave() {
        passOn(this.first);
    }

    @Operation(runOnce = true)
    public void giveUp() {
        giveUp(this.second);
    }

    @Operation(runOnce = true)
    public void giveUpBehind() {
        giveUp(this.third);
    }

    private void giveUp(QueueNode<Grant> node) {
        if (!this.queues.withdraw(node)) {
            node.join();
            passOn(node);
        }
    }

    private void passOn(QueueNode<Grant> node) {
        require(this.inside.incrementAndGet() == 1, "not alone");
        LineTicket ticket = node.ticket();
        require(ticket != null, "no place");
        this.inside.decrementAndGet();
        if (!this.queues.leave(node, ticket)) {
            this.ended.incrementAndGet();
        }
    }

    @Validate
    public void shouldHaveLeftNothing() {
        require(this.queues.isEmpty(), "somebody was forgotten");
        require(this.made.get() == 1, "the place was not inherited");
        require(this.ended.get() == 1, "the place was ended " + this.ended + " times");
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    @Test
    void shouldHoldInEveryInterleaving() {
        Interleavings.check(LocalQueuesModelTest.class, 3, 300);
    }
}

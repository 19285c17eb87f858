package io.github.lockstarter.lease.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.support.LeaseClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Threads that enter, give up and leave at the same time: one turn at a time, none is lost, each place is left once. */
class LocalQueuesRaceTest {

    private static final int THREADS = 6;

    private static final int ROUNDS = 20_000;

    private final AtomicInteger tickets = new AtomicInteger();

    private final LocalQueues<Grant> queues = new LocalQueues<>(
            kind -> new LineTicket(Integer.toString(this.tickets.incrementAndGet()), LeaseClock.SYSTEM));

    private final AtomicInteger[] inside = {new AtomicInteger(), new AtomicInteger()};

    /** Places that ended with a grant, and places that the last one gave up. */
    private final AtomicInteger ended = new AtomicInteger();

    @Test
    void shouldGiveOneTurnAtATimeAndLoseNone() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Integer>> nodes = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                nodes.add(threads.submit(this::takeTurns));
            }
            int taken = 0;
            for (Future<Integer> node : nodes) {
                taken += node.get(60, TimeUnit.SECONDS);
            }

            assertThat(taken).isBetween(THREADS * ROUNDS / 2, THREADS * ROUNDS);
            assertThat(this.queues.isEmpty()).isTrue();
            assertThat(this.ended).hasValue(this.tickets.get());
        } finally {
            threads.shutdownNow();
        }
    }

    private int takeTurns() throws Exception {
        int taken = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int name = ThreadLocalRandom.current().nextInt(2);
            QueueNode<Grant> node = this.queues.enter("orders:" + name, null);
            // every fourth gives up, some of them in the moment in which their turn comes
            boolean patient = ThreadLocalRandom.current().nextInt(4) != 0;
            if (!isCalled(node, patient) && this.queues.withdraw(node)) {
                continue;
            }
            node.get(20, TimeUnit.SECONDS);
            assertThat(this.inside[name].incrementAndGet()).isEqualTo(1);
            LineTicket ticket = node.ticket();
            assertThat(ticket).isNotNull();
            this.inside[name].decrementAndGet();
            if (patient) {
                taken++;
                node.settle();
                this.ended.incrementAndGet();
                this.queues.leave(node);
            } else if (!this.queues.leave(node, ticket)) {
                this.ended.incrementAndGet();
            }
        }
        return taken;
    }

    private static boolean isCalled(QueueNode<Grant> node, boolean patient) throws Exception {
        try {
            node.get(patient ? 20_000_000 : ThreadLocalRandom.current().nextInt(50), TimeUnit.MICROSECONDS);
            return true;
        } catch (TimeoutException ex) {
            return false;
        }
    }
}

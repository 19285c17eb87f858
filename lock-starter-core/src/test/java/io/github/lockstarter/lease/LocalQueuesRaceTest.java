package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Threads that enter and leave at the same time: one turn at a time, and none is lost. */
class LocalQueuesRaceTest {

    private static final int THREADS = 6;

    private static final int ROUNDS = 20_000;

    private final LocalQueues queues = new LocalQueues();

    private final AtomicInteger[] inside = {new AtomicInteger(), new AtomicInteger()};

    @Test
    void shouldGiveOneTurnAtATimeAndLoseNone() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Integer>> turns = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                turns.add(threads.submit(this::takeTurns));
            }
            int taken = 0;
            for (Future<Integer> turn : turns) {
                taken += turn.get(60, TimeUnit.SECONDS);
            }

            assertThat(taken).isBetween(THREADS * ROUNDS / 2, THREADS * ROUNDS);
            assertThat(this.queues.isEmpty()).isTrue();
        } finally {
            threads.shutdownNow();
        }
    }

    private int takeTurns() throws Exception {
        int taken = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int name = ThreadLocalRandom.current().nextInt(2);
            Turn turn = this.queues.enter("orders:" + name);
            // every fourth gives up, some of them in the moment in which their turn comes
            if (ThreadLocalRandom.current().nextInt(4) == 0) {
                turn.leave();
                continue;
            }
            turn.get(20, TimeUnit.SECONDS);
            assertThat(this.inside[name].incrementAndGet()).isEqualTo(1);
            taken++;
            this.inside[name].decrementAndGet();
            turn.leave();
        }
        return taken;
    }
}

package io.github.lockstarter.benchmarks.contention;

import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The part of one JVM in a measurement of one lock that all want. */
public final class Contention {

    private Contention() {}

    /** Runs it to the end, with threads of its own. */
    public static void run(LockClient client, ContentionOrder order) throws InterruptedException {
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        try (Arena arena = Arena.open(order.arena())) {
            List<Thread> threads = new ArrayList<>();
            Stages stages = new Stages(arena, order.jvm());
            Wire.observe(stages);
            for (int number = 0; number < order.threads(); number++) {
                Thread thread = new ContendingThread(client, arena, order, stages, number);
                thread.setUncaughtExceptionHandler((failed, failure) -> failures.add(failure));
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
        } finally {
            Wire.observe(null);
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException(failures.size() + " threads failed", failures.peek());
        }
    }
}

package io.github.lockstarter.benchmarks.contention;

import io.github.lockstarter.benchmarks.client.LockClient;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

/** One thread that takes the same lock again and again, and books how it fared. */
final class ContendingThread extends Thread {

    static final String LOCK = "contended";

    /** Places in the thread's line of the arena. */
    static final int SERVED = 0;

    static final int ENTERED = 1;

    static final int LONGEST_WAIT = 2;

    private final LockClient client;

    private final Arena arena;

    private final ContentionOrder order;

    private final int place;

    private long served;

    private long entered;

    private long longestWait;

    ContendingThread(LockClient client, Arena arena, ContentionOrder order, int number) {
        super("contending-" + number);
        this.client = client;
        this.arena = arena;
        this.order = order;
        this.place = order.arenaThread(number);
    }

    @Override
    public void run() {
        CriticalSection section = new CriticalSection(this.arena, this.order.jvm());
        parkUntil(this.order.startNanos());
        while (System.nanoTime() - this.order.endNanos() < 0) {
            once(section);
        }
        this.arena.set(this.place + SERVED, this.served);
        this.arena.set(this.place + ENTERED, this.entered);
        this.arena.set(this.place + LONGEST_WAIT, this.longestWait);
    }

    private void once(CriticalSection section) {
        Lock lock = this.client.getLock(LOCK);
        long asked = System.nanoTime();
        lock.lock();
        try {
            long got = System.nanoTime();
            long before = section.enter(this.client.token(lock));
            this.entered++;
            // those that were served late count for the checks, not for the rate
            if (got - this.order.endNanos() < 0) {
                this.served++;
            }
            this.longestWait = Math.max(this.longestWait, got - asked);
            if (this.order.workNanos() > 0) {
                parkUntil(got + this.order.workNanos());
            }
            section.leave(before);
        } finally {
            lock.unlock();
        }
    }

    /** Work under a lock is mostly waiting for something else; spinning would take the processors from the others. */
    private static void parkUntil(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}

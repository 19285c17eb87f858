package io.github.lockstarter.benchmarks.contention;

import io.github.lockstarter.benchmarks.client.LockClient;
import java.util.SplittableRandom;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** One thread that takes the same lock, or a permit of the same semaphore, again and again, and books how it fared. */
final class ContendingThread extends Thread {

    static final String LOCK = "contended";

    static final String READ_WRITE_LOCK = "contended-read-write";

    static final String SEMAPHORE = "contended-permits";

    /** Places in the thread's line of the arena. */
    static final int SERVED = 0;

    static final int ENTERED = 1;

    static final int MAX_WAIT = 2;

    static final int ENTERED_ALONE = 3;

    static final int MAX_WRITE_WAIT = 4;

    private static final int HUNDRED = 100;

    private final LockClient client;

    private final Arena arena;

    private final ContentionOrder order;

    private final Stages stages;

    private final int place;

    private final SplittableRandom random;

    private long served;

    private long entered;

    private long enteredAlone;

    private long longestWait;

    private long longestWriteWait;

    ContendingThread(LockClient client, Arena arena, ContentionOrder order, Stages stages, int number) {
        super("contending-" + number);
        this.client = client;
        this.arena = arena;
        this.order = order;
        this.stages = stages;
        this.place = order.arenaThread(number);
        this.random = new SplittableRandom(this.place);
    }

    @Override
    public void run() {
        try {
            Pause.until(this.order.startNanos());
            switch (this.order.sharing().kind()) {
                case EXCLUSIVE -> lock();
                case READS -> readAndWrite();
                case PERMITS -> takePermits();
                case UNLIMITED -> work();
            }
        } catch (InterruptedException ex) {
            throw new IllegalStateException("Nothing interrupts it", ex);
        }
        this.arena.set(this.place + SERVED, this.served);
        this.arena.set(this.place + ENTERED, this.entered);
        this.arena.set(this.place + MAX_WAIT, this.longestWait);
        this.arena.set(this.place + ENTERED_ALONE, this.enteredAlone);
        this.arena.set(this.place + MAX_WRITE_WAIT, this.longestWriteWait);
    }

    private boolean goesOn() {
        return System.nanoTime() - this.order.endNanos() < 0;
    }

    private void lock() {
        Section alone = new CriticalSection(this.arena, this.order.jvm(), this.stages);
        while (goesOn()) {
            long waited = once(this.client.getLock(LOCK), alone);
            this.longestWait = Math.max(this.longestWait, waited);
            this.enteredAlone++;
        }
    }

    private void readAndWrite() {
        Section writing = new CriticalSection(this.arena, this.order.jvm(), this.stages);
        Section reading = new ReadSection(this.arena);
        while (goesOn()) {
            ReadWriteLock lock = this.client.getReadWriteLock(READ_WRITE_LOCK);
            // at random, or the threads would fall into step
            if (this.random.nextInt(HUNDRED) < this.order.sharing().amount()) {
                long waited = once(lock.readLock(), reading);
                this.longestWait = Math.max(this.longestWait, waited);
            } else {
                long waited = once(lock.writeLock(), writing);
                this.longestWriteWait = Math.max(this.longestWriteWait, waited);
                this.enteredAlone++;
            }
        }
    }

    private void takePermits() throws InterruptedException {
        int permits = this.order.sharing().amount();
        Section limited = new LimitedSection(this.arena, permits);
        while (goesOn()) {
            long asked = System.nanoTime();
            Runnable release = this.client.takePermit(SEMAPHORE, permits);
            try {
                long got = System.nanoTime();
                inside(limited, got, LockClient.NO_TOKEN);
                this.longestWait = Math.max(this.longestWait, got - asked);
            } finally {
                release.run();
            }
        }
    }

    private void work() {
        Section unlimited = new LimitedSection(this.arena, Arena.THREADS);
        while (goesOn()) {
            inside(unlimited, System.nanoTime(), LockClient.NO_TOKEN);
        }
    }

    /** Returns how long it had to wait. */
    private long once(Lock lock, Section section) {
        long asked = System.nanoTime();
        lock.lock();
        try {
            long got = System.nanoTime();
            inside(section, got, this.client.token(lock));
            return got - asked;
        } finally {
            lock.unlock();
        }
    }

    private void inside(Section section, long got, long token) {
        long before = section.enter(token);
        this.entered++;
        // those that were served late count for the checks, not for the rate
        if (got - this.order.endNanos() < 0) {
            this.served++;
        }
        if (this.order.workNanos() > 0) {
            Pause.until(got + this.order.workNanos());
        }
        section.leave(before);
    }
}

package io.github.lockstarter.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A place at which a thread is stopped until the test lets it go on. */
public final class Gate {

    private final CountDownLatch reached = new CountDownLatch(1);

    private final CountDownLatch opened = new CountDownLatch(1);

    /** Waits here, once the first time; afterwards the gate stays as it is. Interrupts don't open it. */
    public void pass() {
        this.reached.countDown();
        boolean interrupted = false;
        boolean open = false;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!open && System.nanoTime() - end < 0) {
            try {
                open = this.opened.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException ex) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until somebody stands at the gate. */
    public void awaitSomebody() throws InterruptedException {
        if (!this.reached.await(20, TimeUnit.SECONDS)) {
            throw new AssertionError("nobody came");
        }
    }

    public boolean isReached() {
        return this.reached.getCount() == 0;
    }

    public void open() {
        this.opened.countDown();
    }
}

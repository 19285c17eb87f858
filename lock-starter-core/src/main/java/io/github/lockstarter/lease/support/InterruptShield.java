package io.github.lockstarter.lease.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Defers interrupts while an operation must not be interrupted, and restores the interrupt status at the end. */
public final class InterruptShield implements AutoCloseable {

    private boolean interrupted = Thread.interrupted();

    private boolean fresh;

    /** Returns whether an interrupt has arrived since the last call, and defers it. */
    public boolean caught() {
        boolean caught = Thread.interrupted() || this.fresh;
        this.fresh = false;
        this.interrupted |= caught;
        return caught;
    }

    /** Notes an interrupt whose exception has been caught, which has cleared the interrupt status. */
    public void noteInterrupt() {
        this.interrupted = true;
        this.fresh = true;
    }

    /** Waits until the stage completes in any way, or the time is over. An interrupt does not end the wait, and is kept. */
    public static void await(CompletionStage<?> stage, Duration atMost) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        if (future.isDone()) {
            return;
        }
        long end = System.nanoTime() + atMost.toNanos();
        try (InterruptShield shield = new InterruptShield()) {
            for (long left = atMost.toNanos(); left > 0 && !future.isDone(); left = end - System.nanoTime()) {
                try {
                    future.get(left, TimeUnit.NANOSECONDS);
                } catch (InterruptedException ex) {
                    shield.noteInterrupt();
                } catch (ExecutionException | TimeoutException ex) {
                    return;
                }
            }
        }
    }

    @Override
    public void close() {
        if (this.interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.github.lockstarter.lease;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Keeps interrupts away from what must not be interrupted, and gives them back at the end. */
final class InterruptShield implements AutoCloseable {

    private boolean interrupted = Thread.interrupted();

    private boolean news;

    /** Whether an interrupt came since the last look; it is taken in. */
    boolean caught() {
        boolean caught = Thread.interrupted() || this.news;
        this.news = false;
        this.interrupted |= caught;
        return caught;
    }

    /** An interrupt was taken in already, by the exception that it caused. */
    void took() {
        this.interrupted = true;
        this.news = true;
    }

    /** Waits until the stage is complete, however, or the time is over; an interrupt neither ends the wait nor is lost. */
    static void await(CompletionStage<?> stage, Duration atMost) {
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
                    shield.took();
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

package io.github.lockstarter.sample.demo;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Prints what happens, a line for each event with the seconds since the start, and a line for every two seconds of a
 * wait.
 */
final class Report {

    private static final long PROGRESS_MILLIS = 2000;

    private final long start = System.nanoTime();

    private final Duration limit;

    /**
     * Starts the clock.
     *
     * @param limit time since the start after which each wait fails
     */
    Report(Duration limit) {
        this.limit = limit;
    }

    void chapter(String title) {
        System.out.printf("%n%s%n", title);
    }

    void line(String what) {
        System.out.printf("%5.1f s  %s%n", elapsed().toMillis() / 1000.0, what);
    }

    /**
     * Waits for a result.
     *
     * @throws IllegalStateException if the limit is exceeded, or there is an exception instead of a result
     */
    <T> T await(CompletableFuture<T> result, String awaited) throws InterruptedException {
        for (long left = left(); left > 0; left = left()) {
            try {
                return result.get(Math.min(left, PROGRESS_MILLIS), TimeUnit.MILLISECONDS);
            } catch (TimeoutException ex) {
                line("           ... waiting for " + awaited);
            } catch (ExecutionException ex) {
                throw new IllegalStateException("Failed to wait for " + awaited + ": " + ex.getCause(), ex);
            }
        }
        throw new IllegalStateException(
                "This takes more than %d seconds: waiting for %s.".formatted(limit.toSeconds(), awaited));
    }

    private long left() {
        return limit.minus(elapsed()).toMillis();
    }

    private Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }
}

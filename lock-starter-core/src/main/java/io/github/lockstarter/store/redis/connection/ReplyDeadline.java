package io.github.lockstarter.store.redis.connection;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The deadline until which several replies are awaited.
 *
 * @param end nanoseconds on the clock of {@link System#nanoTime()}
 */
record ReplyDeadline(long end) {

    /** Returns the deadline that is this far away. */
    static ReplyDeadline in(Duration timeout) {
        return new ReplyDeadline(System.nanoTime() + timeout.toNanos());
    }

    /**
     * Waits for a reply and returns its error: null if it is no error, empty if there was no reply before the deadline.
     */
    @Nullable
    String errorOf(Future<?> reply) {
        try {
            Object unused = reply.get(Math.max(0, this.end - System.nanoTime()), TimeUnit.NANOSECONDS);
            return null;
        } catch (ExecutionException ex) {
            Throwable cause = ex.getCause();
            return cause != null ? String.valueOf(cause.getMessage()) : "";
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return "";
        } catch (TimeoutException ex) {
            return "";
        }
    }
}

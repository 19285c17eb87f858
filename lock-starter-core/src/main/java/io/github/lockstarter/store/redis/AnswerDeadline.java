package io.github.lockstarter.store.redis;

import io.lettuce.core.RedisFuture;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The time until which several answers are awaited together.
 *
 * @param end on the clock of {@link System#nanoTime()}
 */
record AnswerDeadline(long end) {

    static AnswerDeadline in(Duration timeout) {
        return new AnswerDeadline(System.nanoTime() + timeout.toNanos());
    }

    /** Waits for an answer and returns its error; null if it is none, empty if there was no answer in time. */
    @Nullable
    String errorOf(RedisFuture<?> answer) {
        try {
            Object unused = answer.get(Math.max(0, this.end - System.nanoTime()), TimeUnit.NANOSECONDS);
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

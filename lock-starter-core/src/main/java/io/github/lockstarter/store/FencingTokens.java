package io.github.lockstarter.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Source of the fencing tokens of a store in memory: microseconds since the epoch, as in Redis, and always larger than
 * the token before. Thread-safe.
 */
final class FencingTokens {

    private final AtomicLong last = new AtomicLong();

    /**
     * Returns a token that is also larger than the given one.
     *
     * @param reserved number of tokens after it that are not returned again
     */
    long next(long after, int reserved) {
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        return this.last.updateAndGet(last -> Math.max(now, Math.max(last, after) + 1) + reserved) - reserved;
    }
}

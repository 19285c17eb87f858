package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.HeldLock;
import io.github.lockstarter.testsupport.history.HistoryWorker;
import io.github.lockstarter.testsupport.history.LockFailureException;
import io.github.lockstarter.testsupport.history.Timing;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock of a library that does not report how long it can be relied on. Its first lease has begun when Redis executed
 * the command, which was at most the time of a command before its reply.
 */
final class ExpiringLock implements HeldLock {

    private final long token;

    private final long reliableUntil;

    private final @Nullable BooleanSupplier check;

    private final BooleanSupplier release;

    /**
     * Creates a lock that was granted just now.
     *
     * @param token the fencing token, or {@link #NO_TOKEN}
     * @param lease the lease of the grant
     * @param timing the times of the fleet
     * @param check asks the library whether it is held, or is {@code null} if the library has no such check
     * @param release releases it, and returns what the library reports
     */
    ExpiringLock(long token, Duration lease, Timing timing, @Nullable BooleanSupplier check, BooleanSupplier release) {
        Duration reliable = lease.minus(timing.command()).minus(HistoryWorker.UNREPORTED_STANDSTILL);
        this.token = token;
        this.reliableUntil = System.nanoTime() + reliable.toNanos();
        this.check = check;
        this.release = release;
    }

    /** Calls a library. Its exceptions do not state whether the command was executed. */
    static <T> T call(Supplier<T> call) {
        try {
            return call.get();
        } catch (RuntimeException ex) {
            throw new LockFailureException(ex, true);
        }
    }

    @Override
    public long token() {
        return this.token;
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, this.reliableUntil - System.nanoTime()));
    }

    @Override
    public boolean hasCheck() {
        return this.check != null;
    }

    @Override
    public boolean isHeld() {
        return call(Objects.requireNonNull(this.check)::getAsBoolean);
    }

    @Override
    public boolean release() {
        return call(this.release::getAsBoolean);
    }
}

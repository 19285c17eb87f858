package io.github.lockstarter.history;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * An attempt to get a lock, and the visit if it is granted, which log the replies that they get. Used by one thread.
 */
final class Visit {

    private static final AtomicLong ATTEMPTS = new AtomicLong();

    private static final long LOOK_EVERY = Duration.ofMillis(20).toNanos();

    private final Lease lease;

    private final long attempt;

    private final HistoryLog log;

    private Visit(Lease lease, long attempt, HistoryLog log) {
        this.lease = lease;
        this.attempt = attempt;
        this.log = log;
    }

    /** A way to ask for a lock. */
    @FunctionalInterface
    interface Way {
        Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException;
    }

    /** Tries to get a lock; empty if it was not granted, for whatever reason. */
    static Optional<Visit> tryAcquire(LockRequest request, Way way, HistoryLog log) {
        String lock = request.lockName();
        long attempt = ATTEMPTS.incrementAndGet();
        long now = System.nanoTime();
        log.at(
                now,
                EventKind.ACQUIRE,
                lock,
                attempt,
                0,
                now + request.waitTime().toNanos(),
                "");
        try {
            Optional<Lease> lease = way.tryAcquire(request);
            if (lease.isPresent()) {
                return Optional.of(of(lease.get(), attempt, log));
            }
            log.now(EventKind.NOT_GRANTED, lock, attempt, 0, 0, "");
        } catch (InterruptedException | CancellationException ex) {
            log.now(EventKind.WITHDRAWN, lock, attempt, 0, 0, "");
        } catch (LockException ex) {
            boolean isUnknown = ex instanceof LockStoreException failure && failure.isOutcomeUnknown();
            log.now(
                    isUnknown ? EventKind.UNKNOWN : EventKind.FAILED,
                    lock,
                    attempt,
                    0,
                    0,
                    String.valueOf(ex.getMessage()));
        }
        return Optional.empty();
    }

    private static Visit of(Lease lease, long attempt, HistoryLog log) {
        Visit visit = new Visit(lease, attempt, log);
        // what is left is counted from a moment before the lease is asked: rather too little than too much
        long now = System.nanoTime();
        visit.note(now, EventKind.GRANTED, now + lease.remaining().toNanos(), "");
        lease.lost().thenAccept(reason -> visit.note(System.nanoTime(), EventKind.LOST, 0, reason.name()));
        return visit;
    }

    /** Looks whether the lease is still held. */
    private boolean look() {
        long now = System.nanoTime();
        Duration remaining = this.lease.remaining();
        if (this.lease.isHeld() && !remaining.isZero()) {
            note(now, EventKind.HELD, now + remaining.toNanos(), "");
            return true;
        }
        note(System.nanoTime(), EventKind.LOST, 0, "seen");
        return false;
    }

    /** Looks again and again, until the time is over or the lease is lost. */
    void stay(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); look() && left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, LOOK_EVERY));
        }
    }

    void release() {
        note(System.nanoTime(), EventKind.RELEASE, 0, "");
        boolean ours = this.lease.release();
        note(System.nanoTime(), ours ? EventKind.RELEASED : EventKind.NOT_OURS, 0, "");
    }

    private void note(long at, EventKind kind, long time, String text) {
        this.log.at(at, kind, this.lease.name(), this.attempt, this.lease.fencingToken(), time, text);
    }
}

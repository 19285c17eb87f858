package io.github.lockstarter.testsupport.history;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to acquire a lock, and the use of the lock if it is granted. Both log the replies that they receive. Used
 * by one thread.
 */
final class Visit {

    private static final AtomicLong ATTEMPTS = new AtomicLong();

    private static final long LOOK_EVERY = Duration.ofMillis(20).toNanos();

    private final HeldLock held;

    private final String lock;

    private final long attempt;

    private final HistoryLog log;

    private Visit(HeldLock held, String lock, long attempt, HistoryLog log) {
        this.held = held;
        this.lock = lock;
        this.attempt = attempt;
        this.log = log;
    }

    /** A way to acquire a lock. */
    @FunctionalInterface
    interface Way {
        Optional<HeldLock> tryAcquire(AcquireRequest request) throws InterruptedException;
    }

    /** Tries to acquire a lock; returns empty if it was not granted, for whatever reason. */
    static Optional<Visit> tryAcquire(AcquireRequest request, Way way, HistoryLog log) {
        String lock = request.lock();
        long attempt = ATTEMPTS.incrementAndGet();
        long now = System.nanoTime();
        log.at(
                now,
                EventKind.ACQUIRE,
                lock,
                attempt,
                HeldLock.NO_TOKEN,
                now + request.waitTime().toNanos(),
                "");
        EventKind refusal = EventKind.NOT_GRANTED;
        String reason = "";
        try {
            Optional<HeldLock> held = way.tryAcquire(request);
            if (held.isPresent()) {
                return Optional.of(of(held.get(), lock, attempt, log));
            }
        } catch (InterruptedException | CancellationException ex) {
            refusal = EventKind.WITHDRAWN;
        } catch (LockFailureException ex) {
            refusal = ex.isOutcomeUnknown() ? EventKind.UNKNOWN : EventKind.FAILED;
            reason = textOf(ex);
        }
        log.now(refusal, lock, attempt, HeldLock.NO_TOKEN, 0, reason);
        return Optional.empty();
    }

    private static Visit of(HeldLock held, String lock, long attempt, HistoryLog log) {
        Visit visit = new Visit(held, lock, attempt, log);
        // The time is taken before the question, so that the logged end is too early rather than too late.
        long now = System.nanoTime();
        visit.note(now, EventKind.GRANTED, now + held.remaining().toNanos(), "");
        held.onLoss(reason -> visit.note(System.nanoTime(), EventKind.LOST, 0, reason));
        return visit;
    }

    /** Returns whether the owner may go on. One that asks the library and gets no answer stops its work as well. */
    private boolean look() {
        if (!this.held.hasCheck()) {
            return true;
        }
        long now = System.nanoTime();
        String reason = "seen";
        try {
            Duration remaining = this.held.remaining();
            if (this.held.isHeld()) {
                note(now, EventKind.HELD, now + remaining.toNanos(), "");
                return true;
            }
        } catch (LockFailureException ex) {
            reason = "not answered: " + textOf(ex);
        }
        note(System.nanoTime(), EventKind.LOST, 0, reason);
        return false;
    }

    /** Asks again and again, until the time is over or the lock is lost. */
    void stay(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); look() && left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, LOOK_EVERY));
        }
    }

    void release() {
        note(System.nanoTime(), EventKind.RELEASE, 0, "");
        try {
            boolean wasHeld = this.held.release();
            note(System.nanoTime(), wasHeld ? EventKind.RELEASED : EventKind.NOT_OURS, 0, "");
        } catch (LockFailureException ex) {
            note(System.nanoTime(), EventKind.RELEASE_FAILED, 0, textOf(ex));
        }
    }

    private void note(long at, EventKind kind, long time, String text) {
        this.log.at(at, kind, this.lock, this.attempt, this.held.token(), time, text);
    }

    private static String textOf(LockFailureException failure) {
        @Nullable String message = failure.getMessage();
        return message != null ? message : "";
    }
}

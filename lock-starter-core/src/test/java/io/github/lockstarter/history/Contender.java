package io.github.lockstarter.history;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;

/** Wants locks, and writes down what it was told, nothing else. */
final class Contender {

    private final LockSource locks;

    private final HistoryLog log;

    private final AtomicLong attempts = new AtomicLong();

    Contender(LockSource locks, HistoryLog log) {
        this.locks = locks;
        this.log = log;
    }

    /** Tries to get a lock; empty if it was not granted, for whatever reason. */
    Optional<Visit> tryAcquire(LockRequest request) {
        return tryAcquire(request, this.locks);
    }

    /** The same in another way. */
    Optional<Visit> tryAcquire(LockRequest request, LockSource way) {
        String lock = request.lockName();
        long attempt = this.attempts.incrementAndGet();
        long now = System.nanoTime();
        this.log.at(
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
                return Optional.of(Visit.of(lease.get(), attempt, this.log));
            }
            this.log.now(EventKind.NOT_GRANTED, lock, attempt, 0, 0, "");
        } catch (InterruptedException | CancellationException ex) {
            this.log.now(EventKind.WITHDRAWN, lock, attempt, 0, 0, "");
        } catch (LockStoreException ex) {
            EventKind kind = ex.isOutcomeUnknown() ? EventKind.UNKNOWN : EventKind.FAILED;
            this.log.now(kind, lock, attempt, 0, 0, String.valueOf(ex.getMessage()));
        } catch (LockException ex) {
            this.log.now(EventKind.FAILED, lock, attempt, 0, 0, String.valueOf(ex.getMessage()));
        }
        return Optional.empty();
    }
}

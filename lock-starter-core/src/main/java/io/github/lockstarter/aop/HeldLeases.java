package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.tx.LockSequence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a call whose work continues after the method has returned. They are acquired one after the other and
 * released together, with all commands sent before the first answer: a store that does not answer delays the call by
 * one command timeout, regardless of the number of locks. Not thread-safe; its methods are called one after the other,
 * each with a happens-before edge to the next.
 */
final class HeldLeases {

    private final LockedCall call;

    private final LockSequence sequence;

    private final List<Lease> leases = new ArrayList<>(1);

    private boolean started;

    private long methodStartNanos;

    HeldLeases(LockedCall call) {
        this.call = call;
        this.sequence = call.sequence();
    }

    /** Returns the request for the next lock. */
    LockRequest nextRequest() {
        return this.sequence.next(this.leases.size());
    }

    void add(Lease lease) {
        this.leases.add(lease);
    }

    /** Returns the number of locks that were granted. */
    int count() {
        return this.leases.size();
    }

    boolean areAllGranted() {
        return count() == this.call.locks().size();
    }

    Lease innermost() {
        return this.leases.get(this.leases.size() - 1);
    }

    /**
     * Runs the method in this thread.
     *
     * @throws LockLostException if a lock was lost while the call waited for the others
     */
    @Nullable
    Object proceed() throws Throwable {
        start();
        return this.call.proceed(this.sequence, this.leases);
    }

    /**
     * Marks the start of the method, from which minimum holds are counted.
     *
     * @throws LockLostException if a lock was lost while the call waited for the others
     */
    void start() {
        this.sequence.ensureHeld(this.leases);
        this.methodStartNanos = System.nanoTime();
        this.started = true;
    }

    /** Returns whether all locks were granted and the method was called. */
    boolean isStarted() {
        return this.started;
    }

    /**
     * Releases all leases without blocking.
     *
     * @return completed with the loss of the innermost lost lock, except with {@link OnLost#IGNORE}, or with null;
     *     exceptionally only if a registry of the application throws
     */
    CompletableFuture<@Nullable LockLostException> release() {
        CompletableFuture<?>[] released = new CompletableFuture<?>[this.leases.size()];
        for (int i = released.length - 1; i >= 0; i--) {
            released[i] = release(i);
        }
        return CompletableFuture.allOf(released).thenApply(unused -> firstLoss());
    }

    /**
     * Releases all leases after a failure in the calling thread and waits for it; if a lock was not granted, at most as
     * long as {@link LockedCall#awaitRelease} does.
     */
    void releaseAfter(Throwable failure) {
        CompletableFuture<@Nullable LockLostException> released = release();
        if (areAllGranted()) {
            addLoss(released.join(), failure);
        } else {
            this.sequence.awaitRelease(released, failure, this.leases.size());
        }
    }

    /**
     * Returns how many nanoseconds a call that failed to acquire a lock waits for the release; zero or less for none.
     */
    long releaseWaitNanos(Throwable failure) {
        return this.sequence.releaseWaitNanos(failure, this.leases.size());
    }

    private CompletableFuture<?> release(int index) {
        try {
            return this.leases.get(index).releaseAsync(remainingMinHold(index)).toCompletableFuture();
        } catch (RuntimeException | Error ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    private Duration remainingMinHold(int index) {
        Duration minHold = this.call.locks().get(index).request().minHold();
        if (!this.started || minHold.isZero()) {
            return Duration.ZERO;
        }
        Duration left = minHold.minusNanos(System.nanoTime() - this.methodStartNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private @Nullable LockLostException firstLoss() {
        for (int i = this.leases.size() - 1; i >= 0; i--) {
            LockLostException loss = lossOf(this.leases.get(i), this.call.onLost(i));
            if (loss != null) {
                return loss;
            }
        }
        return null;
    }

    /** Called after the release, which may be the first to detect the loss. A lease that was released is not lost. */
    private static @Nullable LockLostException lossOf(Lease lease, OnLost onLost) {
        if (onLost == OnLost.IGNORE || lease.state() != Lease.State.LOST) {
            return null;
        }
        try {
            lease.ensureHeld();
            return null;
        } catch (LockLostException ex) {
            return ex;
        }
    }

    /** Adds a loss to the failure as a suppressed exception, unless the failure reports this loss. */
    static void addLoss(@Nullable LockLostException loss, Throwable failure) {
        boolean reported = loss != null
                && unwrapped(failure) instanceof LockLostException other
                && other.lockName().equals(loss.lockName())
                && other.fencingToken() == loss.fencingToken();
        if (loss != null && !reported) {
            failure.addSuppressed(loss);
        }
    }

    static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}

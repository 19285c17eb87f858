package io.github.lockstarter.aop.call;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The leases of one call whose work ends after the method has returned. They are acquired one after the other and
 * released together: with one command for each lock on the way at the same time, a silent Redis costs the call one
 * command timeout, however many locks it holds. Not thread-safe; each step happens before the next one.
 */
final class HeldLeases {

    private final LockedInvocation call;

    private final List<Lease> leases = new ArrayList<>(1);

    private final long began = System.nanoTime();

    private boolean started;

    private long startedAt;

    HeldLeases(LockedInvocation call) {
        this.call = call;
    }

    /** The request of the lock that comes next, free at once when it is given back. */
    LockRequest nextRequest() {
        return this.call.tentative(this.leases.size(), this.began);
    }

    void add(Lease lease) {
        this.leases.add(lease);
    }

    /** How many of the call's locks were granted. */
    int count() {
        return this.leases.size();
    }

    /** Whether all locks were granted and the method was called. */
    boolean isStarted() {
        return this.started;
    }

    /** The lock that is being waited for. */
    LockStep current() {
        return this.call.steps().get(this.leases.size());
    }

    Lease innermost() {
        return this.leases.get(this.leases.size() - 1);
    }

    /** The leases without which nothing may be committed. */
    List<Lease> guarded() {
        List<Lease> guarded = new ArrayList<>(this.leases.size());
        for (int i = 0; i < this.leases.size(); i++) {
            if (this.call.isGuarded(this.call.steps().get(i))) {
                guarded.add(this.leases.get(i));
            }
        }
        return guarded;
    }

    /**
     * Begins the method's part.
     *
     * @throws LockLostException if one of the locks was lost while the call waited for the others
     */
    void start() {
        this.call.ensureHeld(this.leases);
        this.startedAt = System.nanoTime();
        this.started = true;
    }

    /**
     * Releases all of them without waiting for the store.
     *
     * @return completed with the loss of the innermost lock that was lost and whose owner wants to know, or with null;
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
     * Releases all of them because of a failure in the calling thread, and waits for that; if the call was refused, no
     * longer than for the refusal itself. A call that was granted all of its locks and has lost one was not refused.
     */
    void releaseAfter(Throwable failure) {
        CompletableFuture<@Nullable LockLostException> released = release();
        if (count() == this.call.steps().size()) {
            tellBeside(released.join(), failure);
        } else {
            this.call.awaitTakenBack(released, failure, this.leases.size(), this.began);
        }
    }

    /** For how many nanoseconds a refused call waits for its locks to be free again; zero or less: not at all. */
    long takeBackNanos(Throwable failure) {
        return this.call.takeBackNanos(failure, this.leases.size(), this.began);
    }

    private CompletableFuture<?> release(int index) {
        try {
            return this.leases
                    .get(index)
                    .releaseAsync(toKeep(this.call.steps().get(index)))
                    .toCompletableFuture();
        } catch (RuntimeException | Error ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    private Duration toKeep(LockStep step) {
        return this.started ? LockedInvocation.toKeep(step, this.startedAt) : Duration.ZERO;
    }

    private @Nullable LockLostException firstLoss() {
        for (int i = this.leases.size() - 1; i >= 0; i--) {
            LockLostException loss = lossOf(
                    this.leases.get(i), this.call.onLost(this.call.steps().get(i)));
            if (loss != null) {
                return loss;
            }
        }
        return null;
    }

    /** Asked after the release, which may be the first to find the lock gone. A lease that was given back is no loss. */
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

    /** Adds a loss, if there was one, to what the work failed with, unless that is the report of this very loss. */
    static void tellBeside(@Nullable LockLostException loss, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        boolean reported = loss != null
                && cause instanceof LockLostException other
                && other.lockName().equals(loss.lockName())
                && other.fencingToken() == loss.fencingToken();
        if (loss != null && !reported) {
            failure.addSuppressed(loss);
        }
    }
}

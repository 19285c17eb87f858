package io.github.lockstarter.aop.call;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.tx.EnclosingTransaction;
import io.github.lockstarter.tx.GuardedLeases;
import io.github.lockstarter.tx.HoldCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs a method whose work ends when it returns: acquires the locks of the call, each nested in the one before, and
 * runs the method in the innermost. Used by one thread.
 */
final class DirectExecution {

    private final LockedInvocation call;

    private final long startNanos = System.nanoTime();

    private final List<Lease> leases = new ArrayList<>(1);

    private boolean released;

    DirectExecution(LockedInvocation call) {
        this.call = call;
    }

    /** Acquires the next lock and continues under it, recursively until the method has run. */
    @SuppressWarnings("NullAway") // does not recognize nullable type arguments
    @Nullable
    Object run() throws Throwable {
        boolean outermost = this.leases.isEmpty();
        RequestedLock lock = nextLock();
        try {
            return this.call.registry().<@Nullable Object, Throwable>execute(nextRequest(), lease -> {
                this.leases.add(lease);
                return isOnlyLock() ? continueUnder(lease, lock) : continueUnderOneOfSeveral(lease, lock);
            });
        } catch (LockNotGrantedException ex) {
            // After the method was started, the exception is the method's own.
            if (!outermost || areAllGranted()) {
                throw ex;
            }
            return AcquisitionFailures.notGranted(this.call, nextLock(), ex);
        } catch (LockInterruptedException ex) {
            if (!outermost || areAllGranted()) {
                throw ex;
            }
            throw AcquisitionFailures.interrupted(this.call, nextLock(), ex);
        }
    }

    private RequestedLock nextLock() {
        return this.call.locks().get(this.leases.size());
    }

    private LockRequest nextRequest() {
        int index = this.leases.size();
        return isOnlyLock()
                ? this.call.request(index, this.startNanos)
                : this.call.requestWithoutMinHold(index, this.startNanos);
    }

    private boolean isOnlyLock() {
        return this.call.locks().size() == 1;
    }

    private boolean areAllGranted() {
        return this.leases.size() == this.call.locks().size();
    }

    private @Nullable Object continueUnderOneOfSeveral(Lease lease, RequestedLock lock) throws Throwable {
        Object result;
        try {
            result = continueUnder(lease, lock);
        } catch (Throwable ex) {
            releaseTogether(ex);
            throw ex;
        }
        releaseTogether(null);
        return result;
    }

    @SuppressWarnings("NullAway")
    private @Nullable Object continueUnder(Lease lease, RequestedLock lock) throws Throwable {
        boolean guarded = this.call.isGuarded(lock);
        if (guarded) {
            GuardedLeases.add(lease);
        }
        try {
            return LeaseContext.<@Nullable Object, Throwable>call(
                    lease, current -> areAllGranted() ? runMethod() : run());
        } finally {
            if (guarded) {
                GuardedLeases.remove(lease);
            }
        }
    }

    private @Nullable Object runMethod() throws Throwable {
        this.call.ensureHeld(this.leases);
        for (int i = 0; i < this.leases.size(); i++) {
            holdBeyondReturn(this.call.locks().get(i));
        }
        return this.call.invocation().proceed();
    }

    /** Applies what lasts longer than the method only now: not for a call that is granted some of its locks. */
    private void holdBeyondReturn(RequestedLock lock) {
        boolean guarded = this.call.isGuarded(lock);
        try {
            if (!isOnlyLock() && !lock.request().minHold().isZero()) {
                this.call.registry().executeWithoutResult(lock.minHoldRequest(), nested -> {});
            }
            if (lock.spec().releasedAfterTransaction() && EnclosingTransaction.isActive()) {
                EnclosingTransaction.holdUntilCompletion(
                        this.call.registry(),
                        lock.request(),
                        guarded,
                        this.call.defaults().names());
            }
        } catch (LockLostException ex) {
            if (guarded) {
                throw ex;
            }
        }
    }

    /**
     * Sends the releases of all locks before it waits for the first answer, so that a store that does not answer delays
     * the call by one command timeout and not by one for each lock. The holds end afterwards and have nothing to
     * release.
     *
     * @param failure the exception of the call; null if it has a result
     */
    private void releaseTogether(@Nullable Throwable failure) {
        if (this.released) {
            return;
        }
        this.released = true;
        int granted = this.leases.size();
        List<CompletableFuture<?>> answers = new ArrayList<>(granted);
        for (int i = granted - 1; i >= 0; i--) {
            if (isHeldOnlyByThisCall(this.call.locks().get(i).request())) {
                answers.add(this.leases.get(i).releaseAsync().toCompletableFuture());
            }
        }
        CompletableFuture<?> all = CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
        if (failure == null || areAllGranted()) {
            all.exceptionally(ex -> null).join();
        } else {
            this.call.awaitRelease(all, failure, granted, this.startNanos);
        }
    }

    /** Returns false if an outer call or an enclosing transaction holds the lock as well. */
    private boolean isHeldOnlyByThisCall(LockRequest request) {
        return HoldCounts.areAll(this.call.registry(), request, mode -> ownHolds(request.lockName(), mode));
    }

    private int ownHolds(String lockName, LockMode mode) {
        int own = 0;
        for (int i = 0; i < this.leases.size(); i++) {
            LockRequest request = this.call.locks().get(i).request();
            own += request.mode() == mode && request.lockName().equals(lockName) ? 1 : 0;
        }
        return own;
    }
}

package io.github.lockstarter.aop.call;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.tx.EnclosingTransaction;
import io.github.lockstarter.tx.GuardedLeases;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call of a locked method that works in the calling thread: takes its locks one after the other, and goes on. */
final class LockedCall {

    private final LockedInvocation call;

    private final long began = System.nanoTime();

    private final List<Lease> leases = new ArrayList<>(1);

    private boolean released;

    LockedCall(LockedInvocation call) {
        this.call = call;
    }

    /** Whether all locks were granted, so that the method was run; what is thrown then is the method's own. */
    boolean isStarted() {
        return this.leases.size() == this.call.steps().size();
    }

    /** The lock that is being waited for. */
    LockStep current() {
        return this.call.steps().get(this.leases.size());
    }

    @SuppressWarnings("NullAway") // it does not see that the type arguments are nullable
    @Nullable
    Object run() throws Throwable {
        if (isStarted()) {
            keep();
            return this.call.proceed();
        }
        LockStep step = current();
        return this.call.registry().<@Nullable Object, Throwable>execute(request(), lease -> {
            this.leases.add(lease);
            return isOnlyOne() ? under(lease, step) : oneOfSeveral(lease, step);
        });
    }

    private @Nullable Object oneOfSeveral(Lease lease, LockStep step) throws Throwable {
        Object result;
        try {
            result = under(lease, step);
        } catch (Throwable ex) {
            releaseTogether(ex);
            throw ex;
        }
        releaseTogether(null);
        return result;
    }

    /**
     * Sends the releases of all locks before the first answer is awaited: a silent Redis costs the call one command
     * timeout, and not one for each lock. The holds end one after the other behind that, with nothing left to release.
     *
     * @param failure what the caller gets instead of a result
     */
    private void releaseTogether(@Nullable Throwable failure) {
        if (this.released) {
            return;
        }
        this.released = true;
        int refused = this.leases.size();
        List<CompletableFuture<?>> answers = new ArrayList<>(this.leases.size());
        for (int i = this.leases.size() - 1; i >= 0; i--) {
            Lease lease = this.leases.get(i);
            if (isHeldByThisCallAlone(lease)) {
                answers.add(lease.releaseAsync().toCompletableFuture());
            }
        }
        CompletableFuture<?> all = CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
        if (failure == null || isStarted()) {
            all.exceptionally(trouble -> null).join();
        } else {
            this.call.awaitTakenBack(all, failure, refused, this.began);
        }
    }

    /** An outer call, or a transaction that keeps the lock, has a hold of its own. */
    private boolean isHeldByThisCallAlone(Lease lease) {
        long own = this.leases.stream()
                .filter(each -> each.name().equals(lease.name()))
                .count();
        LeaseLock lock = this.call.registry().getLock(lease.name());
        // A registry that tests have mocked may know of no lock.
        return lock != null && lock.getHoldCount() == own;
    }

    private LockRequest request() {
        int step = this.leases.size();
        return isOnlyOne() ? this.call.request(step, this.began) : this.call.tentative(step, this.began);
    }

    private boolean isOnlyOne() {
        return this.call.steps().size() == 1;
    }

    /** What is to outlast the method does so only now: had one of the locks been refused, none would be kept. */
    private void keep() {
        this.call.ensureHeld(this.leases);
        for (int i = 0; i < this.leases.size(); i++) {
            LockStep step = this.call.steps().get(i);
            try {
                keep(this.leases.get(i), step);
            } catch (LockLostException ex) {
                if (this.call.isGuarded(step)) {
                    throw ex;
                }
            }
        }
    }

    private void keep(Lease lease, LockStep step) {
        if (!isOnlyOne() && !step.request().minHold().isZero()) {
            this.call.registry().executeWithoutResult(step.minHoldAlone(), again -> {});
        }
        if (step.spec().keptForTransaction() && EnclosingTransaction.isActive()) {
            EnclosingTransaction.keep(
                    this.call.registry(),
                    step.request().lockName(),
                    lease,
                    this.call.isGuarded(step),
                    this.call.defaults().names());
        }
    }

    @SuppressWarnings("NullAway")
    private @Nullable Object under(Lease lease, LockStep step) throws Throwable {
        if (!this.call.isGuarded(step)) {
            return LeaseContext.<@Nullable Object, Throwable>call(lease, current -> run());
        }
        GuardedLeases.add(lease);
        try {
            return LeaseContext.<@Nullable Object, Throwable>call(lease, current -> run());
        } finally {
            GuardedLeases.remove(lease);
        }
    }
}

package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.tx.GuardedLeases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One call of a locked method that returns a future. The calling thread waits for the locks and runs the method, as
 * without a future; the leases belong to no thread and end when the future does, in whatever thread that is.
 */
final class FutureCall {

    private final LockedInvocation call;

    private final Executor releases;

    private final List<Lease> leases = new ArrayList<>(1);

    private boolean started;

    private long startedAt;

    FutureCall(LockedInvocation call, Executor releases) {
        this.call = call;
        this.releases = releases;
    }

    boolean isStarted() {
        return this.started;
    }

    /** The lock that is being waited for. */
    LockStep current() {
        return this.call.steps().get(this.leases.size());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets the future
    @Nullable
    Object run() throws Throwable {
        Object returned;
        try {
            acquire();
            this.call.ensureHeld(this.leases);
            this.startedAt = System.nanoTime();
            this.started = true;
            returned = proceed();
            if (returned instanceof CompletionStage<?> stage) {
                return new HeldFuture<>(stage, this.releases, this::end);
            }
        } catch (Throwable ex) {
            LockLostException loss = end();
            HeldLeases.tellBeside(loss, ex);
            throw ex;
        }
        LockLostException loss = end();
        if (loss != null) {
            throw loss;
        }
        return returned;
    }

    private void acquire() throws InterruptedException {
        long began = System.nanoTime();
        for (int step = 0; step < this.call.steps().size(); step++) {
            this.leases.add(this.call.registry().acquire(this.call.tentative(step, began)));
        }
    }

    /** Transactions that the method commits before it returns count on the locks as well. */
    @SuppressWarnings("NullAway") // it does not see that the type argument is nullable
    private @Nullable Object proceed() throws Exception {
        List<Lease> guarded = new ArrayList<>(this.leases.size());
        for (int i = 0; i < this.leases.size(); i++) {
            if (this.call.isGuarded(this.call.steps().get(i))) {
                guarded.add(this.leases.get(i));
            }
        }
        guarded.forEach(GuardedLeases::add);
        try {
            return LeaseContext.<@Nullable Object>call(
                    this.leases.get(this.leases.size() - 1), lease -> this.call.proceed());
        } finally {
            guarded.forEach(GuardedLeases::remove);
        }
    }

    /** Releases all; the loss of the innermost that its owner wants to hear of, or null. */
    private @Nullable LockLostException end() {
        LockLostException first = null;
        for (int i = this.leases.size() - 1; i >= 0; i--) {
            LockStep step = this.call.steps().get(i);
            LockLostException loss = HeldLeases.end(this.leases.get(i), toKeep(step), this.call.onLost(step));
            first = first != null ? first : loss;
        }
        return first;
    }

    private Duration toKeep(LockStep step) {
        return this.started ? LockedInvocation.toKeep(step, this.startedAt) : Duration.ZERO;
    }
}

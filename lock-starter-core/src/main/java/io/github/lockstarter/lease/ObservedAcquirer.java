package io.github.lockstarter.lease;

import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.lease.AcquireObserver.Acquiring;
import org.jspecify.annotations.Nullable;

/** Lets the observer, if there is one, follow the calls of blocking acquirers. */
final class ObservedAcquirer {

    private final @Nullable AcquireObserver observer;

    private final BlockingAcquirer acquirer;

    ObservedAcquirer(@Nullable AcquireObserver observer, BlockingAcquirer acquirer) {
        this.observer = observer;
        this.acquirer = acquirer;
    }

    /** As {@link BlockingAcquirer#acquire}. */
    @Nullable
    Grant acquire(Acquisition acquisition, @Nullable InterruptShield shield) throws InterruptedException {
        Acquiring observed = this.observer != null ? this.observer.began(acquisition.request()) : null;
        return observed != null ? acquire(acquisition, shield, observed) : this.acquirer.acquire(acquisition, shield);
    }

    private @Nullable Grant acquire(Acquisition acquisition, @Nullable InterruptShield shield, Acquiring observed)
            throws InterruptedException {
        Grant grant;
        try {
            grant = acquireInside(acquisition, shield, observed);
        } catch (InterruptedException ex) {
            observed.notGranted(Outcome.INTERRUPTED, null);
            throw ex;
        } catch (RuntimeException | Error ex) {
            observed.notGranted(Outcome.ERROR, ex);
            throw ex;
        }
        if (grant != null) {
            observed.granted(grant.fencingToken());
        } else {
            Throwable failure = acquisition.failure();
            observed.notGranted(failure != null ? Outcome.ERROR : Outcome.TIMEOUT, failure);
        }
        return grant;
    }

    private @Nullable Grant acquireInside(Acquisition acquisition, @Nullable InterruptShield shield, Acquiring observed)
            throws InterruptedException {
        observed.enter();
        try {
            return this.acquirer.acquire(acquisition, shield);
        } finally {
            observed.leave();
        }
    }
}

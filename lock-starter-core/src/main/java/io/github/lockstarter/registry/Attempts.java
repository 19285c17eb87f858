package io.github.lockstarter.registry;

import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.Wait;
import io.github.lockstarter.lock.Effects;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.Owner;
import io.github.lockstarter.lock.Refusal;
import io.github.lockstarter.registry.AcquireObserver.Acquiring;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one call to acquire several locks in one round trip. They are sent together and do not join the
 * waiting lines. When each of them has an outcome, the locks before the first refusal are kept, and those behind it are
 * released. The call then waits for the refused lock while it holds only locks that precede it in the order of all
 * calls, which is why no two calls wait for each other (SeveralLocks: Decide).
 *
 * <p>The outcomes arrive on any thread, and a cancellation may abandon the attempts at any time. All other methods are
 * called by the {@link LockSequence}, one after the other.
 */
public final class Attempts {

    /**
     * The attempt for one lock. Its refusal is not reported to observers, because it does not end the request, unless
     * the request does not wait.
     */
    public final class Attempt extends Wait {

        private volatile @Nullable Grant grant;

        private volatile @Nullable Refusal refusal;

        private Effects.@Nullable Way way;

        private boolean hasEnded;

        /** Whether the grant was given back or has decided a wait. */
        private volatile boolean isTaken;

        private Attempt(LockRequest request, LeaseTerms terms, Owner owner) {
            super(request, 0, terms.of(request), owner);
            this.isTentative = true;
        }

        @Override
        public void granted(Grant granted, Effects.Way how) {
            this.way = how;
            this.grant = granted;
            if (Attempts.this.isAbandoned) {
                giveBack();
            }
            ended();
        }

        @Override
        public void refused(Refusal refused) {
            this.refusal = refused;
            ended();
        }

        /** Counts the outcome once, although an interrupted notification is repeated. */
        private void ended() {
            if (!this.hasEnded) {
                this.hasEnded = true;
                Attempts.this.ended();
            }
        }

        private void giveBack() {
            Grant granted = this.grant;
            if (granted != null && !this.isTaken) {
                try {
                    Attempts.this.leases.engine().change(granted, (lock, now) -> lock.giveBack(granted, now));
                    this.isTaken = true;
                } catch (Throwable ex) {
                    // The heap or the stack is exhausted, and the engine tries again.
                    Attempts.this.leases.engine().unclaimed(granted);
                }
            }
        }

        /** Returns the observer of the acquisition if the attempts have begun it, and otherwise {@code null}. */
        @Nullable
        Acquiring takeObserved() {
            return Attempts.this.observed.getAndSet(null);
        }

        /** Returns whether the outcome of this attempt is also the outcome of the given wait for the same lock. */
        boolean decides(Wait wait) {
            return this.grant != null || wait.waitTime == 0 || isRefused();
        }

        /** Ends a wait, which has not entered its lock, with the outcome of this attempt. */
        void decide(Wait wait) {
            wait.enteredAt = this.enteredAt;
            wait.deadline = Moment.sum(this.enteredAt, wait.waitTime);
            Grant granted = this.grant;
            Effects.Way how = this.way;
            Refusal refused = this.refusal;
            if (granted != null && how != null) {
                Attempts.this.leases.events().waitEnded(wait.request);
                wait.granted(granted, how);
                this.isTaken = true;
            } else if (refused != null) {
                Attempts.this.leases.events().refused(wait, refused);
                wait.refused(refused);
            }
        }
    }

    private final LeaseHandle.Operations leases;

    private final boolean isAsynchronous;

    /** The refusal of the only attempt, if its lock has too many waiters, otherwise {@code null}. */
    private final @Nullable Refusal byLimit;

    private int skipped;

    private final List<Attempt> attempts = new ArrayList<>();

    /** The attempts that were not taken, up to the first that was refused. Empty until each attempt has an outcome. */
    private Iterator<Attempt> kept = Collections.emptyIterator();

    private final AtomicInteger open;

    /** Completed when each attempt has an outcome, by a thread that may run any code if the call is asynchronous. */
    private final CompletableFuture<@Nullable Void> over = new CompletableFuture<>();

    private volatile boolean isAbandoned;

    /** The observer of the first acquisition, which begins with the attempts, until its attempt is taken. */
    private final AtomicReference<@Nullable Acquiring> observed = new AtomicReference<>();

    /**
     * Creates the attempts, and sends nothing. If one of the locks has as many waiters as its request allows, the call
     * is refused, so there is an attempt for this lock only.
     *
     * @param owner the thread to which the grants will belong, or {@link Owner#NONE}
     * @param isAsynchronous whether the caller does not wait with a thread
     */
    Attempts(LeaseHandle.Operations leases, List<LockRequest> requests, Owner owner, boolean isAsynchronous) {
        this.leases = leases;
        this.isAsynchronous = isAsynchronous;
        Refusal refusal = null;
        for (int i = 0; i < requests.size() && refusal == null; i++) {
            LockRequest request = requests.get(i);
            Attempt attempt = new Attempt(request, leases.terms(), owner);
            refusal = leases.terms().waitTime(request) > 0 ? leases.engine().refusalByLimit(attempt) : null;
            if (refusal != null) {
                this.attempts.clear();
                this.skipped = i;
            }
            this.attempts.add(attempt);
        }
        this.byLimit = refusal;
        this.open = new AtomicInteger(this.attempts.size());
    }

    /** Returns whether the call is refused, because one of its locks has as many waiters as its request allows. */
    boolean isRefused() {
        return this.byLimit != null;
    }

    /** Returns the request of the first attempt. */
    LockRequest first() {
        return this.attempts.get(0).request;
    }

    /**
     * Returns the number of locks in front of the first attempt. It is not 0 only if the call is refused because of a
     * later lock.
     */
    int skipped() {
        return this.skipped;
    }

    /** Sends all attempts without waiting for a reply. */
    void send(Acquiring begun) {
        this.observed.set(begun);
        try {
            if (this.byLimit != null) {
                this.attempts.get(0).refused(this.byLimit);
                return;
            }
            this.attempts.forEach(attempt -> this.leases.engine().enter(attempt, null));
        } catch (Throwable ex) {
            abandon(Outcome.ERROR, ex);
            throw ex;
        }
    }

    /**
     * Sends all attempts, and waits until each of them has an outcome and the locks behind the first refusal were given
     * back.
     *
     * @throws InterruptedException if the thread was interrupted; nothing of the attempts remains
     */
    void sendAndAwait(Acquiring begun) throws InterruptedException {
        begun.enter();
        try {
            send(begun);
            Object unused = this.over.get();
            decide();
        } catch (ExecutionException ex) {
            throw new IllegalStateException(ex);
        } catch (InterruptedException ex) {
            abandon(Outcome.INTERRUPTED, null);
            throw ex;
        } finally {
            begun.leave();
        }
    }

    private void ended() {
        if (this.open.decrementAndGet() > 0) {
            return;
        }
        if (this.isAsynchronous) {
            this.leases.threads().complete(() -> this.over.complete(null));
        } else {
            this.over.complete(null);
        }
    }

    /** Calls the action when each attempt has an outcome and the locks behind the first refusal were given back. */
    void whenOver(Runnable action) {
        CompletableFuture<?> unused = this.over.thenRun(() -> {
            decide();
            action.run();
        });
    }

    private void decide() {
        int granted = 0;
        while (granted < this.attempts.size() && this.attempts.get(granted).grant != null) {
            granted++;
        }
        int end = Math.min(granted + 1, this.attempts.size());
        this.attempts.subList(end, this.attempts.size()).forEach(Attempt::giveBack);
        this.kept = this.attempts.subList(0, end).iterator();
    }

    /** Returns whether there is an attempt for the next lock, which was granted or is the one that was refused. */
    boolean hasNext() {
        return this.kept.hasNext();
    }

    /** Returns the attempt for the next lock in order. */
    Attempt next() {
        return this.kept.next();
    }

    /**
     * Gives back the locks that have decided no wait. A lock whose attempt has no outcome is given back when it is
     * granted.
     *
     * @param outcome the outcome of the first acquisition, if it has none
     */
    void abandon(Outcome outcome, @Nullable Throwable cause) {
        this.isAbandoned = true;
        this.attempts.forEach(Attempt::giveBack);
        Acquiring begun = this.observed.getAndSet(null);
        if (begun != null) {
            this.leases.events().refused(this.attempts.get(0), outcome, cause);
            begun.notGranted(outcome, cause, null);
        }
    }
}

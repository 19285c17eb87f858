package io.github.lockstarter.registry;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.Engine;
import io.github.lockstarter.engine.RunThreads;
import io.github.lockstarter.engine.ThreadWait;
import io.github.lockstarter.engine.Wait;
import io.github.lockstarter.lock.Effects;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.Owner;
import io.github.lockstarter.lock.Refusal;
import io.github.lockstarter.lock.Refusal.Cause;
import io.github.lockstarter.lock.Terms;
import io.github.lockstarter.registry.AcquireObserver.Acquiring;
import io.github.lockstarter.registry.Attempts.Attempt;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Acquires locks in one run, on the thread of the caller or with a future. */
final class Acquisitions {

    private final LeaseHandle.Operations leases;

    private final AcquireReports reports;

    private final Instances instances;

    private final AcquireObserver observer;

    private final long commandTimeout;

    /**
     * Creates the acquisitions of a run.
     *
     * @param commandTimeout nanoseconds after the end of a wait for which a grant may still be delivered
     */
    Acquisitions(
            LeaseHandle.Operations leases,
            AcquireReports reports,
            Instances instances,
            AcquireObserver observer,
            long commandTimeout) {
        this.leases = leases;
        this.reports = reports;
        this.instances = instances;
        this.observer = observer;
        this.commandTimeout = commandTimeout;
    }

    /**
     * Creates the wait of the calling thread.
     *
     * @param owner the thread to which the grant will belong, or {@link Owner#NONE}
     * @param interruptible whether an interrupt ends the wait; otherwise it is deferred until {@link #acquire} returns
     */
    ThreadWait threadWait(LockRequest request, Owner owner, boolean interruptible) {
        LeaseTerms terms = this.leases.terms();
        return new ThreadWait(request, terms.waitTime(request), terms.of(request), owner, interruptible);
    }

    /**
     * Acquires a lock on the calling thread. If this method throws, or the caller does before it can release the lock,
     * the caller must call {@link #failed}.
     *
     * @param mustSucceed whether an exception is thrown if the lock is not granted although nothing has failed
     * @param attempt an attempt that this call has made before, or {@code null} if there is none
     * @return the grant, or {@code null} if the lock is not granted and {@code mustSucceed} is {@code false}
     * @throws LockException if the lock is not granted
     */
    @Nullable
    Grant acquire(ThreadWait wait, boolean mustSucceed, @Nullable Attempt attempt) throws InterruptedException {
        LockRequest request = wait.request;
        wait.isAttempt = !mustSucceed && wait.waitTime == 0;
        Acquiring observed = began(request, attempt);
        observed.enter();
        try {
            if (attempt != null && attempt.decides(wait)) {
                attempt.decide(wait);
            } else {
                boolean unused = this.leases.engine().acquire(wait);
            }
        } catch (InterruptedException | RuntimeException | Error ex) {
            observed.leave();
            Outcome outcome = ex instanceof InterruptedException ? Outcome.INTERRUPTED : Outcome.ERROR;
            Throwable cause = outcome == Outcome.ERROR ? ex : null;
            if (wait.enteredAt == 0) {
                // The wait has not entered its lock, so the engine does not report its end.
                this.leases.events().refused(wait, outcome, cause);
            }
            observed.notGranted(outcome, cause, null);
            throw ex;
        }
        observed.leave();
        Grant grant = wait.grant;
        if (grant != null) {
            observed.granted(grant.token);
            return grant;
        }
        Refusal refusal = Objects.requireNonNull(wait.refusal);
        this.reports.notify(observed, wait, refusal);
        if (mustSucceed || !refusal.isNotGranted()) {
            throw this.reports.exception(wait, refusal);
        }
        return null;
    }

    /** Lets the engine release the grant of a wait, if it has one, because its owner will not release it. */
    void failed(ThreadWait wait) {
        Grant grant = wait.grant;
        if (grant != null) {
            this.leases.engine().unclaimed(grant);
        }
    }

    private Acquiring began(LockRequest request, @Nullable Attempt attempt) {
        Acquiring begun = attempt != null ? attempt.takeObserved() : null;
        return begun != null ? begun : began(request);
    }

    private Acquiring began(LockRequest request) {
        Acquiring observed = this.observer == AcquireObserver.NONE
                ? Acquiring.UNOBSERVED
                : this.observer.began(request, this.instances.own().instance());
        this.leases.events().waitBegan(request);
        return observed;
    }

    /**
     * Sends attempts to acquire several locks together, and waits for their outcomes.
     *
     * @return {@code null} if the calling thread must acquire the locks one after the other: it is interrupted, or what
     *     it sends would wait behind the commands of others, and no lock has too many waiters
     */
    @Nullable
    Attempts attempt(List<LockRequest> requests, Owner owner) throws InterruptedException {
        if (Thread.currentThread().isInterrupted()) {
            return null;
        }
        Attempts attempts = new Attempts(this.leases, requests, owner, false);
        if (!attempts.isRefused() && !this.leases.engine().sendsImmediately()) {
            return null;
        }
        attempts.sendAndAwait(began(attempts.first()));
        return attempts;
    }

    /** Sends attempts to acquire several locks together, without waiting for their outcomes. */
    Attempts attemptLater(List<LockRequest> requests) {
        Attempts attempts = new Attempts(this.leases, requests, Owner.NONE, true);
        attempts.send(began(attempts.first()));
        return attempts;
    }

    /**
     * Acquires a lock without blocking.
     *
     * @param attempt an attempt that this call has made before, or {@code null} if there is none
     * @return a future that is completed with the lease, or with the exception that a blocking call would throw
     */
    CompletableFuture<Lease> acquireLater(LockRequest request, @Nullable Attempt attempt) {
        LeaseTerms terms = this.leases.terms();
        FutureWait wait = new FutureWait(request, terms.waitTime(request), terms.of(request), began(request, attempt));
        if (attempt != null && attempt.decides(wait)) {
            attempt.decide(wait);
            return wait.future;
        }
        return wait.start();
    }

    /**
     * An acquisition that waits without a thread. The dependent stages of its future are user code, so separate threads
     * complete the future. A grant uses one of a limited number of threads, because a stage often keeps its thread for
     * as long as it holds the lock. A failure uses a thread that stages of grants cannot occupy.
     */
    private final class FutureWait extends Wait {

        private final Acquiring observed;

        private final CompletableFuture<Lease> future = new CompletableFuture<>();

        private volatile boolean isOver;

        /**
         * The lease until it is delivered, because a repeated delivery must use the same object. It is null afterwards,
         * because the library must not refer to it.
         */
        private volatile @Nullable LeaseHandle lease;

        /** Whether the outcome of the future is decided. */
        private final AtomicBoolean isDelivered = new AtomicBoolean();

        /** Whether the future is completed with the lease. Used only by the stage that completes it. */
        private boolean isGiven;

        FutureWait(LockRequest request, long waitTime, Terms terms, Acquiring observed) {
            super(request, waitTime, terms, Owner.NONE);
            this.observed = observed;
        }

        private Engine engine() {
            return Acquisitions.this.leases.engine();
        }

        private RunThreads threads() {
            return Acquisitions.this.leases.threads();
        }

        CompletableFuture<Lease> start() {
            try {
                engine().enter(this, null);
            } catch (Throwable ex) {
                if (this.enteredAt == 0) {
                    // The wait has not entered its lock, so the engine does not report its end.
                    Acquisitions.this.leases.events().refused(this, Outcome.ERROR, ex);
                    this.observed.notGranted(Outcome.ERROR, ex, null);
                }
                throw ex;
            }
            CompletableFuture<?> unused = this.future.whenComplete((lease, failure) -> {
                if (!this.isOver) {
                    // The caller has completed or cancelled the future.
                    engine().withdraw(this);
                }
            });
            return this.future;
        }

        /**
         * Delivers the grant. Called again if an error, such as an exhausted stack, prevents the end of this method.
         */
        @Override
        public void granted(Grant grant, Effects.Way way) {
            this.isOver = true;
            if (this.isDelivered.get()) {
                // A second lease would give back the grant of the first one.
                return;
            }
            LeaseHandle.Operations operations = Acquisitions.this.leases;
            LeaseHandle before = this.lease;
            LeaseHandle lease = before != null ? before : operations.withoutThread(grant);
            this.lease = lease;
            CompletableFuture<?> unused = this.future.whenComplete((delivered, failure) -> {
                if (delivered != lease) {
                    engine().change(grant, (lock, now) -> lock.giveBack(grant, now));
                }
            });
            boolean isPrompt = threads().completeGrant(() -> {
                if (this.isDelivered.compareAndSet(false, true)) {
                    this.isGiven = true;
                    // The observer is called before the future is completed, because dependent stages may run
                    // immediately and take long.
                    this.observed.granted(grant.token);
                }
                // This is repeated if the heap was full before all dependent stages had run.
                if (this.isGiven) {
                    this.future.complete(lease);
                    this.lease = null;
                }
            });
            if (!isPrompt && this.deadline != Moment.NEVER) {
                long latest = Moment.sum(this.deadline, Acquisitions.this.commandTimeout);
                boolean unusedToo = threads()
                        .later(this::failUndelivered, latest - engine().now().nanos());
            }
        }

        /**
         * Fails the future if the grant could not be delivered in time. The lease is then released, because it would
         * block others without being used.
         */
        private void failUndelivered() {
            if (this.isDelivered.compareAndSet(false, true)) {
                fail(
                        Acquisitions.this.reports.undelivered(this),
                        () -> this.observed.notGranted(Outcome.TIMEOUT, null, null));
            }
        }

        @Override
        public void refused(Refusal refusal) {
            this.isOver = true;
            AcquireReports reports = Acquisitions.this.reports;
            boolean isWithdrawn = refusal.cause() == Cause.WITHDRAWN;
            if (!isWithdrawn || this.observed != Acquiring.UNOBSERVED) {
                fail(
                        isWithdrawn ? null : reports.exception(this, refusal),
                        () -> reports.notify(this.observed, this, refusal));
            }
        }

        /**
         * Reports and completes on another thread, because handlers of observations are user code and this thread may
         * belong to the watchdog.
         */
        private void fail(@Nullable LockException failure, Runnable report) {
            threads().complete(() -> {
                report.run();
                if (failure != null) {
                    this.future.completeExceptionally(failure);
                }
            });
        }
    }
}

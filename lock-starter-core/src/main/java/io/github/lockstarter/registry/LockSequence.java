package io.github.lockstarter.registry;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LockedCallback;
import io.github.lockstarter.named.RequestDefaults;
import io.github.lockstarter.text.Printable;
import io.github.lockstarter.tx.EnclosingTransaction;
import io.github.lockstarter.tx.GuardedLeases;
import io.github.lockstarter.tx.HoldCounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one call, which are granted all or not at all. They are acquired in an order that all calls share: first
 * by {@link Attempts} that are sent together, and then, from the first lock that is not free, by waiting for it and
 * sending the attempts for the rest. So free locks take one round trip. All wait times are counted from the beginning
 * of the call, so the time that it waits for one lock counts for the others as well. The locks are released together:
 * all commands are sent before the first reply is awaited. Therefore a store that does not answer delays the call by
 * one command timeout, not by one for each lock.
 *
 * <p>Work of one thread is run by {@link #execute}, with each lock nested in the previous one. For work that continues
 * after the call has returned, the caller acquires leases that belong to no thread: it calls {@link #acquire} or {@link
 * #acquireAsync} for each of them, then {@link #begin}, and {@link #release} when the work has ended.
 *
 * <p>The call begins when the object is created. Not thread-safe: the methods are called one after the other, with a
 * happens-before edge from each call to the next.
 */
public final class LockSequence {

    /** Maximum number of locks. It is limited because nested locks need stack space. */
    public static final int MAX_LOCKS = 256;

    /** Lease that a nested hold requests if it must not extend the lease. */
    private static final Duration MIN_LEASE = Duration.ofMillis(1);

    /**
     * The order in which locks are acquired. Permits come before locks, because no call may wait for permits while
     * others wait for its lock. For one name, a writer comes before a reader and more permits before fewer, because the
     * opposite cannot be nested.
     */
    private static final Comparator<LockRequest> ORDER = Comparator.comparing(
                    (LockRequest request) -> request.mode() != LockMode.PERMIT)
            .thenComparing(LockRequest::lockName)
            .thenComparing(LockRequest::mode)
            .thenComparing(LockRequest::weight, Comparator.reverseOrder());

    private final List<LockRequest> requests;

    private final RequestDefaults defaults;

    private final long startNanos = System.nanoTime();

    private final List<Lease> leases = new ArrayList<>(1);

    /** The attempts that were sent last, or {@code null} if none were sent. */
    private @Nullable Attempts attempts;

    private boolean begun;

    private long beginNanos;

    private boolean released;

    /**
     * Creates a sequence.
     *
     * @param requests at least one request, in the order of {@link #arrange}
     * @param defaults values of requests that do not specify them
     */
    public LockSequence(List<LockRequest> requests, RequestDefaults defaults) {
        this.requests = requests;
        this.defaults = defaults;
    }

    /**
     * Creates a sequence of requests in any order. Several requests may have the same name.
     *
     * @throws IllegalArgumentException if there is no request, or there are too many
     */
    public static LockSequence of(Stream<LockRequest> requests, RequestDefaults defaults) {
        List<LockRequest> locks = requests.collect(Collectors.toCollection(ArrayList::new));
        arrange(locks, false);
        if (locks.isEmpty() || locks.size() > MAX_LOCKS) {
            throw new IllegalArgumentException(Printable.of("A call must request at least 1 and at most " + MAX_LOCKS
                    + " different locks, but requests " + locks.size() + ". Use one lock for all of them, or split the"
                    + " call."));
        }
        return new LockSequence(locks, defaults);
    }

    /**
     * Sorts the locks of a call, which prevents a deadlock of two calls that need the same locks.
     *
     * @param reentrant whether a lock that is requested twice can be acquired twice; otherwise duplicates are removed,
     *     and the request of the writer, the request for the most permits or the first request remains
     */
    public static void arrange(List<LockRequest> locks, boolean reentrant) {
        locks.sort(ORDER);
        if (!reentrant) {
            Set<String> seen = new HashSet<>();
            Set<String> seenPermits = new HashSet<>();
            locks.removeIf(lock -> !(lock.mode() == LockMode.PERMIT ? seenPermits : seen).add(lock.lockName()));
        }
    }

    // ---- Acquiring

    /** Returns the number of locks that were granted. */
    public int granted() {
        return this.leases.size();
    }

    /** Returns the index of the lock that is acquired next, or that was refused. */
    public int index() {
        return granted() + (this.attempts != null ? this.attempts.skipped() : 0);
    }

    /** Returns whether all locks were granted. */
    public boolean areAllGranted() {
        return granted() == this.requests.size();
    }

    /** Adds the lease of the next lock. */
    public void add(Lease lease) {
        this.leases.add(lease);
    }

    /** Returns the lease that was granted last. */
    public Lease innermost() {
        return this.leases.get(granted() - 1);
    }

    /**
     * Returns the request for the next lock with the remaining wait time. Settings that last longer than the call are
     * removed, because until all locks are granted and the work begins, each lock must be available to others
     * immediately after its release.
     *
     * @throws LockStoreException as {@link #requireTime} does, unless an attempt for the lock has an outcome
     */
    private LockRequest next() {
        if (!hasAttempt()) {
            requireTime();
        }
        LockRequest request = this.requests.get(index());
        return withinTheCall(
                hasWaited()
                        ? afterWaiting(request, this.defaults.waitTimeOf(request), System.nanoTime() - this.startNanos)
                        : request);
    }

    /** Returns whether the call may have waited for a reply. */
    private boolean hasWaited() {
        return granted() > 0 || this.attempts != null;
    }

    /**
     * Checks that the next lock may still be requested.
     *
     * @throws LockStoreException if the replies so far were so slow that the deadline and one command timeout have
     *     passed
     */
    private void requireTime() {
        int index = granted();
        if (hasWaited() && graceNanos(index) <= 0) {
            throw tooSlow(this.requests.get(index), index);
        }
    }

    private static LockRequest withinTheCall(LockRequest request) {
        if (!request.minHold().isZero()) {
            request = request.withMinHold(Duration.ZERO);
        }
        return Boolean.TRUE.equals(request.releaseAfterTransaction())
                ? request.withReleaseAfterTransaction(false)
                : request;
    }

    /**
     * Returns the requests for which attempts must be sent now: those for all locks that are missing, unless attempts
     * for them have an outcome already, or only one is missing.
     */
    private List<LockRequest> unattempted() {
        List<LockRequest> missing = this.requests.subList(granted(), this.requests.size());
        if (missing.size() < 2 || hasAttempt()) {
            return List.of();
        }
        requireTime();
        return missing.stream().map(LockSequence::withinTheCall).toList();
    }

    /** Returns whether an attempt for the next lock has an outcome. */
    private boolean hasAttempt() {
        return this.attempts != null && this.attempts.hasNext();
    }

    private Attempts.@Nullable Attempt nextAttempt() {
        return this.attempts != null && this.attempts.hasNext() ? this.attempts.next() : null;
    }

    /** Gives back what the attempts have been granted. If all locks are granted, nothing is left of the attempts. */
    private void abandonAttempts(Outcome outcome) {
        if (this.attempts != null && !areAllGranted()) {
            this.attempts.abandon(outcome, null);
        }
    }

    /** Acquires a lease of the next lock, which belongs to no thread. */
    public void acquire(LockRegistry registry) throws InterruptedException {
        if (!(registry instanceof AttemptingRegistry attempting)) {
            this.leases.add(registry.acquire(next()));
            return;
        }
        List<LockRequest> unattempted = unattempted();
        if (!unattempted.isEmpty()) {
            this.attempts = attempting.attemptLeases(unattempted);
        }
        LockRequest request = next();
        this.leases.add(attempting.acquire(request, nextAttempt()));
    }

    /**
     * Acquires a lease of the next lock, which belongs to no thread, without blocking. The caller passes it to {@link
     * #add}. If the future fails or is cancelled, the caller calls {@link #release}, after which nothing of the request
     * remains.
     */
    public CompletableFuture<Lease> acquireAsync(LockRegistry registry) {
        if (!(registry instanceof AttemptingRegistry attempting)) {
            return registry.acquireAsync(next()).toCompletableFuture();
        }
        List<LockRequest> unattempted = unattempted();
        if (unattempted.isEmpty()) {
            LockRequest request = next();
            return attempting.acquireAsync(request, nextAttempt());
        }
        Attempts sent = attempting.attemptLater(unattempted);
        this.attempts = sent;
        CompletableFuture<Lease> result = new CompletableFuture<>();
        sent.whenOver(() -> {
            if (!result.isDone()) {
                acquireAsync(attempting, result);
            }
        });
        return result;
    }

    private void acquireAsync(AttemptingRegistry registry, CompletableFuture<Lease> result) {
        CompletableFuture<Lease> acquired;
        try {
            LockRequest request = next();
            acquired = registry.acquireAsync(request, nextAttempt());
        } catch (Throwable ex) {
            result.completeExceptionally(ex);
            return;
        }
        CompletableFuture<?> unused = acquired.whenComplete((lease, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (!result.complete(lease)) {
                CompletionStage<?> unusedToo = lease.releaseAsync();
            }
        });
        CompletableFuture<?> unusedToo = result.whenComplete((lease, failure) -> {
            if (failure != null) {
                // The caller has cancelled the future.
                acquired.cancel(true);
            }
        });
    }

    private LockStoreException tooSlow(LockRequest request, int granted) {
        return new LockStoreException(
                "Lock '" + this.defaults.names().of(request.lockName())
                        + "' was not requested: the wait time of "
                        + this.defaults.waitTimeOf(request).toMillis() + " ms and the command timeout of "
                        + this.defaults.commandTimeout().toMillis() + " ms had passed when the call had been granted "
                        + granted + " of its " + this.requests.size()
                        + " locks. The store, or the database of the fence, answers too slowly for so many locks. Increase the wait"
                        + " time, or use one lock for all of them.",
                null,
                false,
                true);
    }

    /** Returns the request with its remaining wait time. */
    static LockRequest afterWaiting(LockRequest request, Duration waitTime, long elapsedNanos) {
        if (LockRequest.FOREVER.equals(waitTime)) {
            return request;
        }
        Duration left = waitTime.minusNanos(elapsedNanos);
        return request.withWaitTime(left.isNegative() ? Duration.ZERO : left);
    }

    /**
     * Returns the nanoseconds until the deadline of the lock plus one command timeout, within which the last reply may
     * arrive.
     */
    private long graceNanos(int index) {
        Duration waitTime = this.defaults.waitTimeOf(this.requests.get(index));
        if (LockRequest.FOREVER.equals(waitTime)) {
            return this.defaults.commandTimeout().toNanos();
        }
        return waitTime.plus(this.defaults.commandTimeout()).toNanos() - (System.nanoTime() - this.startNanos);
    }

    // ---- Working

    /**
     * Marks the beginning of the work, from which minimum holds are counted.
     *
     * @throws LockLostException if a lock was lost while the call waited for others, unless its loss is ignored
     */
    public void begin() {
        for (int i = 0; i < granted(); i++) {
            if (this.defaults.isGuarded(this.requests.get(i))) {
                this.leases.get(i).ensureHeld();
            }
        }
        this.beginNanos = System.nanoTime();
        this.begun = true;
    }

    /** Returns whether the work has begun. Its exceptions may look like exceptions of a lock. */
    public boolean isBegun() {
        return this.begun;
    }

    /**
     * Runs an annotated method on this thread, with the innermost lease in the {@link LeaseContext}. Unless it is
     * ignored, the loss of a lease prevents the commit of transactions that the method begins and commits.
     */
    public <T extends @Nullable Object, E extends Throwable> T call(LockedCallback<T, E> method) throws E {
        int granted = this.leases.size();
        for (int i = 0; i < granted; i++) {
            if (this.defaults.isGuarded(this.requests.get(i))) {
                GuardedLeases.add(this.leases.get(i));
            }
        }
        try {
            return LeaseContext.<T, E>call(this.leases.get(granted - 1), method);
        } finally {
            // This has no effect for leases that were not added.
            this.leases.forEach(GuardedLeases::remove);
        }
    }

    /**
     * Acquires the locks for this thread, runs the work under the innermost lease, and releases the locks.
     *
     * @param registry grants the locks
     */
    public <T extends @Nullable Object, E extends Throwable> T execute(LockRegistry registry, LockedCallback<T, E> work)
            throws E {
        boolean only = this.requests.size() == 1;
        AttemptingRegistry attempting = registry instanceof AttemptingRegistry able ? able : null;
        LockedCallback<T, E> body = lease -> {
            this.leases.add(lease);
            if (only) {
                this.begun = true;
                return work.run(lease);
            }
            return continueUnderOneOfSeveral(registry, work);
        };
        if (attempting == null) {
            return registry.<T, E>execute(only ? this.requests.get(0) : next(), body);
        }
        if (only) {
            return attempting.<T, E>execute(this.requests.get(0), null, body);
        }
        try {
            attempt(attempting);
            LockRequest request = next();
            return attempting.<T, E>execute(request, nextAttempt(), body);
        } finally {
            abandonAttempts(Outcome.ERROR);
        }
    }

    /** Sends attempts for locks of this thread if they are missing, and waits for their outcomes. */
    private void attempt(AttemptingRegistry registry) {
        List<LockRequest> unattempted = unattempted();
        if (unattempted.isEmpty()) {
            return;
        }
        try {
            this.attempts = registry.attempt(unattempted);
        } catch (InterruptedException ex) {
            throw OwnedLocks.interrupted(
                    this.defaults.names().of(unattempted.get(0).lockName()), ex);
        }
    }

    private <T extends @Nullable Object, E extends Throwable> T continueUnderOneOfSeveral(
            LockRegistry registry, LockedCallback<T, E> work) throws E {
        T result;
        try {
            result = areAllGranted() ? run(registry, work) : execute(registry, work);
        } catch (Throwable ex) {
            releaseHolds(registry, ex);
            throw ex;
        }
        releaseHolds(registry, null);
        return result;
    }

    private <T extends @Nullable Object, E extends Throwable> T run(LockRegistry registry, LockedCallback<T, E> work)
            throws E {
        begin();
        this.requests.forEach(request -> holdBeyondTheCall(registry, request));
        return work.run(innermost());
    }

    /**
     * Applies settings that last longer than the call. This happens only after all locks were granted, because a call
     * that gets only some of its locks must not apply them.
     */
    private void holdBeyondTheCall(LockRegistry registry, LockRequest request) {
        boolean bound = Boolean.TRUE.equals(request.releaseAfterTransaction()) && EnclosingTransaction.isActive();
        if (bound || !request.minHold().isZero()) {
            try {
                registry.executeWithoutResult(request.withLease(MIN_LEASE), nested -> {});
            } catch (LockLostException ex) {
                if (this.defaults.isGuarded(request)) {
                    throw ex;
                }
            }
        }
    }

    // ---- Releasing

    /**
     * Releases the leases of a thread. The holds around this one end afterwards and have nothing left to release.
     * Leases that an outer call or an enclosing transaction holds as well are not released.
     *
     * @param failure the exception of the call, or {@code null} if it has a result
     */
    private void releaseHolds(LockRegistry registry, @Nullable Throwable failure) {
        if (this.released) {
            return;
        }
        this.released = true;
        CompletableFuture<?> all = releaseAll(index -> {
            LockRequest request = this.requests.get(index);
            return HoldCounts.areAll(registry, request, mode -> ownHolds(request.lockName(), mode))
                    ? this.leases.get(index).releaseAsync().toCompletableFuture()
                    : CompletableFuture.completedFuture(true);
        });
        awaitRelease(all.exceptionally(ex -> null), failure);
    }

    private int ownHolds(String lockName, LockMode mode) {
        int own = 0;
        for (int i = 0; i < granted(); i++) {
            LockRequest request = this.requests.get(i);
            own += request.mode() == mode && request.lockName().equals(lockName) ? 1 : 0;
        }
        return own;
    }

    private CompletableFuture<?> releaseAll(IntFunction<CompletableFuture<?>> release) {
        CompletableFuture<?>[] answers = new CompletableFuture<?>[granted()];
        for (int i = answers.length - 1; i >= 0; i--) {
            answers[i] = release.apply(i);
        }
        return CompletableFuture.allOf(answers);
    }

    private void awaitRelease(CompletableFuture<?> all, @Nullable Throwable failure) {
        if (failure == null || areAllGranted()) {
            all.join();
            return;
        }
        long nanos = releaseWaitNanos(failure);
        if (nanos > 0) {
            all.<@Nullable Object>handle((result, ex) -> null)
                    .completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS)
                    .join();
        }
    }

    /**
     * Returns the nanoseconds for which a call that was not granted a lock waits for the release of the previous locks.
     * This is the time for which it could have waited for that lock, and zero or less if the store has just failed to
     * answer.
     */
    public long releaseWaitNanos(Throwable failure) {
        return failure instanceof LockStoreException ? 0 : graceNanos(granted());
    }

    /**
     * Releases leases that belong to no thread, without blocking. If the work has begun, minimum holds continue.
     *
     * @return a future that is completed with the loss of the innermost lost lease, or with {@code null} if there is
     *     none or it is ignored; it fails only if a registry of the application throws
     */
    public CompletableFuture<@Nullable LockLostException> release() {
        abandonAttempts(Outcome.INTERRUPTED);
        return releaseAll(this::release).thenApply(unused -> firstLoss());
    }

    /**
     * Releases leases that belong to no thread after a failure in the calling thread, and waits for the release.
     *
     * @see #release()
     */
    public void releaseAfter(Throwable failure) {
        CompletableFuture<@Nullable LockLostException> released = release();
        awaitRelease(released, failure);
        if (areAllGranted()) {
            addLoss(released.join(), failure);
        }
    }

    private CompletableFuture<?> release(int index) {
        try {
            Duration minHold = this.requests.get(index).minHold();
            Duration left = minHold.minusNanos(System.nanoTime() - this.beginNanos);
            return this.leases
                    .get(index)
                    .releaseAsync(this.begun && !left.isNegative() ? left : Duration.ZERO)
                    .toCompletableFuture();
        } catch (RuntimeException | Error ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    private @Nullable LockLostException firstLoss() {
        for (int i = granted() - 1; i >= 0; i--) {
            Lease lease = this.leases.get(i);
            // The check follows the release, which may be the first to detect the loss. A lease that was released is
            // not lost.
            if (this.defaults.isGuarded(this.requests.get(i)) && lease.state() == Lease.State.LOST) {
                try {
                    lease.ensureHeld();
                } catch (LockLostException ex) {
                    return ex;
                }
            }
        }
        return null;
    }

    /** Adds a loss to the failure as a suppressed exception, unless the failure reports this loss. */
    public static void addLoss(@Nullable LockLostException loss, Throwable failure) {
        if (loss != null && !isReportOf(loss, unwrapped(failure))) {
            failure.addSuppressed(loss);
        }
    }

    /** Returns whether the failure reports the given loss. */
    public static boolean isReportOf(LockLostException loss, Throwable failure) {
        return failure instanceof LockLostException other
                && other.lockName().equals(loss.lockName())
                && other.fencingToken() == loss.fencingToken();
    }

    /** Returns the failure of a stage without the exception in which dependent stages wrap it. */
    public static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}

package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.named.RequestDefaults;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The locks that one call acquires one after the other. All of them have one deadline: the time that the call waits for a
 * lock counts towards the wait times of the others. The call begins when the object is created. Thread-safe.
 */
public final class LockSequence {

    /** A limit, because nested locks need stack space. */
    public static final int MOST = 256;

    /**
     * Permits before locks, so that no call waits for permits while others wait for its lock. Of one name, a writer before
     * a reader and more permits before fewer, because the opposite cannot be nested.
     */
    private static final Comparator<LockRequest> ORDER = Comparator.comparing(
                    (LockRequest request) -> request.mode() != LockMode.PERMIT)
            .thenComparing(LockRequest::lockName)
            .thenComparing(LockRequest::mode)
            .thenComparing(LockRequest::weight, Comparator.reverseOrder());

    private final List<LockRequest> requests;

    private final RequestDefaults defaults;

    private final long startNanos = System.nanoTime();

    /**
     * Creates a sequence.
     *
     * @param requests in the order of {@link #arrange}
     * @param defaults applies where a request has no value
     */
    public LockSequence(List<LockRequest> requests, RequestDefaults defaults) {
        this.requests = requests;
        this.defaults = defaults;
    }

    /**
     * Creates a sequence of requests in any order, of which several may be for one name.
     *
     * @throws IllegalArgumentException if there is none, or too many
     */
    public static LockSequence of(Stream<LockRequest> requests, RequestDefaults defaults) {
        List<LockRequest> locks = requests.collect(Collectors.toCollection(ArrayList::new));
        arrange(locks, Function.identity(), false);
        if (locks.isEmpty() || locks.size() > MOST) {
            throw new IllegalArgumentException(Printable.of("A call must request at least 1 and at most " + MOST
                    + " different locks, but requests " + locks.size() + ". Use one lock for all of them, or split the"
                    + " call."));
        }
        return new LockSequence(locks, defaults);
    }

    /**
     * Sorts the locks of a call, so that two calls that need the same locks cannot deadlock.
     *
     * @param reentrant whether a lock that is requested twice can be acquired twice; if not, duplicates are removed and
     *     the first request applies, or that of the writer or for the most permits
     */
    public static <R> void arrange(List<R> locks, Function<R, LockRequest> requestOf, boolean reentrant) {
        locks.sort(Comparator.comparing(requestOf, ORDER));
        if (!reentrant) {
            Set<String> seen = new HashSet<>();
            Set<String> seenPermits = new HashSet<>();
            locks.removeIf(lock -> {
                LockRequest request = requestOf.apply(lock);
                return !(request.mode() == LockMode.PERMIT ? seenPermits : seen).add(request.lockName());
            });
        }
    }

    /** Returns the number of locks. */
    int count() {
        return this.requests.size();
    }

    /** Returns the request for one of the locks as it was made. */
    LockRequest original(int index) {
        return this.requests.get(index);
    }

    /**
     * Returns the request for one of several locks with the rest of its wait time, and without what lasts longer than the
     * call: until all locks are granted and the work begins, each must be available to others immediately after its
     * release.
     *
     * @throws LockStoreException if the answers for the locks before it were so slow that the deadline and one command
     *     timeout have passed
     */
    public LockRequest next(int index) {
        LockRequest request = this.requests.get(index);
        if (index > 0) {
            if (graceNanos(index) <= 0) {
                throw tooSlow(request, index);
            }
            request = afterWaiting(request, System.nanoTime() - this.startNanos, this.defaults.waitTime());
        }
        if (!request.minHold().isZero()) {
            request = request.withMinHold(Duration.ZERO);
        }
        return Boolean.TRUE.equals(request.releaseAfterTransaction())
                ? request.withReleaseAfterTransaction(false)
                : request;
    }

    private LockStoreException tooSlow(LockRequest request, int granted) {
        return new LockStoreException(
                "Lock '" + this.defaults.names().of(request.lockName())
                        + "' was not requested: the wait time of "
                        + waitTime(request, this.defaults.waitTime()).toMillis() + " ms and the command timeout of "
                        + this.defaults.commandTimeout().toMillis() + " ms had passed when the call had been granted "
                        + granted + " of its " + this.requests.size()
                        + " locks. The store answers too slowly for so many locks. Increase the wait time, or use one lock"
                        + " for all of them.",
                null,
                false,
                true);
    }

    /** Returns the request with the rest of its wait time. */
    static LockRequest afterWaiting(LockRequest request, long elapsedNanos, Duration defaultWaitTime) {
        Duration waitTime = waitTime(request, defaultWaitTime);
        if (LockRequest.FOREVER.equals(waitTime)) {
            return request;
        }
        Duration left = waitTime.minusNanos(elapsedNanos);
        return request.withWaitTime(left.isNegative() ? Duration.ZERO : left);
    }

    private static Duration waitTime(LockRequest request, Duration defaultWaitTime) {
        return request.waitTime() != null ? request.waitTime() : defaultWaitTime;
    }

    /**
     * Returns the nanoseconds until the lock's deadline and one command timeout, in which the last answer may arrive.
     */
    private long graceNanos(int index) {
        Duration waitTime = waitTime(this.requests.get(index), this.defaults.waitTime());
        if (LockRequest.FOREVER.equals(waitTime)) {
            return this.defaults.commandTimeout().toNanos();
        }
        return waitTime.plus(this.defaults.commandTimeout()).toNanos() - (System.nanoTime() - this.startNanos);
    }

    /** Returns whether the loss of the lock is reported to the caller and prevents the commit of transactions. */
    public boolean isGuarded(int index) {
        return this.defaults.isGuarded(this.requests.get(index));
    }

    /**
     * Throws LockLostException if a lock was lost while the call waited for the others, unless its loss is ignored.
     *
     * @throws LockLostException for the first that was lost
     */
    public void ensureHeld(List<Lease> leases) {
        for (int i = 0; i < leases.size(); i++) {
            if (isGuarded(i)) {
                leases.get(i).ensureHeld();
            }
        }
    }

    /**
     * Waits for the release of the locks that were granted before one was not, at most as long as the call could have
     * waited for that one.
     *
     * @param failed the index of the lock that was not granted
     */
    public void awaitRelease(CompletableFuture<?> released, Throwable failure, int failed) {
        long nanos = releaseWaitNanos(failure, failed);
        if (nanos > 0) {
            released.<@Nullable Object>handle((result, ex) -> null)
                    .completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS)
                    .join();
        }
    }

    /** Returns how long {@link #awaitRelease} waits; zero or less if the store has just failed to answer. */
    public long releaseWaitNanos(Throwable failure, int failed) {
        return failure instanceof LockStoreException ? 0 : graceNanos(failed);
    }
}

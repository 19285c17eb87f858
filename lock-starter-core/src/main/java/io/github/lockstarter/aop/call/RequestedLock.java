package io.github.lockstarter.aop.call;

import io.github.lockstarter.InvalidLockKeyException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.aop.key.ConditionExpression;
import io.github.lockstarter.aop.key.KeyExpression;
import io.github.lockstarter.aop.metadata.LockSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.aopalliance.intercept.MethodInvocation;

/** One of the locks that a call acquires, one nested in the other. */
record RequestedLock(LockSpec spec, LockRequest request) {

    /** A limit, because nested locks need stack space. */
    private static final int MAX_LOCKS_OF_A_CALL = 256;

    /**
     * Permits before locks, so that no call waits for permits while others wait for its lock. Of one name, a writer before
     * a reader and more permits before fewer, because the opposite cannot be nested.
     */
    private static final Comparator<LockRequest> ORDER = Comparator.comparing(
                    (LockRequest request) -> request.mode() != LockMode.PERMIT)
            .thenComparing(LockRequest::lockName)
            .thenComparing(LockRequest::mode)
            .thenComparing(LockRequest::weight, Comparator.reverseOrder());

    /** Requested by a nested hold that must not extend the lease. */
    private static final Duration SHORTEST_LEASE = Duration.ofMillis(1);

    /**
     * Returns the locks of a call: one for each annotation whose condition is met and for each of its keys. They are
     * sorted, so that two calls that need the same locks cannot deadlock. Each condition is evaluated once, and
     * the key only if the condition is met.
     *
     * @param reentrant whether a lock that is requested twice can be acquired twice; if not, duplicates are removed and
     *     the attributes of the first annotation apply, or those of the writer
     */
    static List<RequestedLock> of(List<LockSpec> specs, MethodInvocation invocation, boolean reentrant) {
        List<RequestedLock> locks = new ArrayList<>(specs.size());
        for (LockSpec spec : specs) {
            ConditionExpression condition = spec.condition();
            if (condition != null && !condition.isMet(invocation.getThis(), invocation.getArguments())) {
                continue;
            }
            KeyExpression key = spec.key();
            if (key == null) {
                locks.add(new RequestedLock(spec, spec.request("")));
            } else {
                for (String text : key.evaluate(invocation.getThis(), invocation.getArguments())) {
                    locks.add(new RequestedLock(spec, request(spec, key, text)));
                }
            }
        }
        if (locks.size() > 1) {
            locks.sort(Comparator.comparing(RequestedLock::request, ORDER));
            checkCount(specs.get(0), locks.size());
            if (!reentrant) {
                Set<String> seen = new HashSet<>();
                Set<String> seenPermits = new HashSet<>();
                locks.removeIf(lock -> !(lock.isPermit() ? seenPermits : seen)
                        .add(lock.request().lockName()));
            }
        }
        return locks;
    }

    private static void checkCount(LockSpec spec, int count) {
        if (count > MAX_LOCKS_OF_A_CALL) {
            throw new InvalidLockKeyException("A call requests " + count + " locks, such as '" + spec.name()
                    + "', which exceeds the maximum of " + MAX_LOCKS_OF_A_CALL
                    + ". Use one lock for all of them, or split the call.");
        }
    }

    private static LockRequest request(LockSpec spec, KeyExpression key, String text) {
        try {
            return spec.request(text);
        } catch (IllegalArgumentException ex) {
            throw key.unusable("cannot name a lock. " + ex.getMessage(), ex);
        }
    }

    private boolean isPermit() {
        return this.request.mode() == LockMode.PERMIT;
    }

    /** Returns a request for a nested hold that sets the minimum hold and leaves the lease unchanged. */
    LockRequest minHoldRequest() {
        return this.spec
                .plainRequest(this.request.key())
                .withLease(SHORTEST_LEASE)
                .withMinHold(this.request.minHold());
    }

    /** Returns how long a call waits for the lock; {@link LockRequest#FOREVER} for no limit. */
    Duration waitTime(Duration defaultWaitTime) {
        return this.request.waitTime() != null ? this.request.waitTime() : defaultWaitTime;
    }

    /** Returns the request with the rest of the wait time, as all locks of a call have the same deadline. */
    LockRequest afterWaiting(long elapsedNanos, Duration defaultWaitTime) {
        Duration waitTime = waitTime(defaultWaitTime);
        if (LockRequest.FOREVER.equals(waitTime)) {
            return this.request;
        }
        Duration left = waitTime.minusNanos(elapsedNanos);
        return this.request.withWaitTime(left.isNegative() ? Duration.ZERO : left);
    }
}

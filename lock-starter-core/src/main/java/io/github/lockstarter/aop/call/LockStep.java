package io.github.lockstarter.aop.call;

import io.github.lockstarter.InvalidLockKeyException;
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

/** One of the locks that a call takes, one inside of the other. */
record LockStep(LockSpec spec, LockRequest request) {

    /** Each lock of a call lies inside of the one before it, on the stack too. */
    private static final int MOST = 256;

    /** A nested hold that asks for less than is left changes nothing, and costs nothing. */
    private static final Duration NOTHING_MORE = Duration.ofMillis(1);

    /**
     * All locks of a call: one for each annotation whose condition is met, and for each of its keys. In the order of their
     * names, whatever the order of the keys, so that two calls that want the same locks cannot wait for each other. Each
     * condition is evaluated once, and the key only if it is met.
     *
     * @param reentrant whether a lock that is meant twice may be taken twice; otherwise what its first annotation says
     *     counts
     */
    static List<LockStep> of(List<LockSpec> specs, MethodInvocation invocation, boolean reentrant) {
        List<LockStep> steps = new ArrayList<>(specs.size());
        for (LockSpec spec : specs) {
            ConditionExpression condition = spec.condition();
            if (condition != null && !condition.isMet(invocation.getThis(), invocation.getArguments())) {
                continue;
            }
            KeyExpression key = spec.key();
            if (key == null) {
                steps.add(new LockStep(spec, spec.request("")));
            } else {
                for (String text : key.evaluate(invocation.getThis(), invocation.getArguments())) {
                    steps.add(new LockStep(spec, request(spec, key, text)));
                }
            }
        }
        if (steps.size() > 1) {
            steps.sort(Comparator.comparing(step -> step.request().lockName()));
            refuseTooMany(specs.get(0), steps.size());
            if (!reentrant) {
                Set<String> seen = new HashSet<>();
                steps.removeIf(step -> !seen.add(step.request().lockName()));
            }
        }
        return steps;
    }

    private static void refuseTooMany(LockSpec spec, int count) {
        if (count > MOST) {
            throw new InvalidLockKeyException(
                    "A call would take " + count + " locks, '" + spec.name() + "' and others, and may take " + MOST
                            + " at most. Lock what they have in common, or split the call.");
        }
    }

    private static LockRequest request(LockSpec spec, KeyExpression key, String text) {
        try {
            return spec.request(text);
        } catch (IllegalArgumentException ex) {
            throw key.unusable("cannot name a lock. " + ex.getMessage(), ex);
        }
    }

    /** A nested hold that asks for nothing but the minimum: how long the lock is renewed stays as it was asked for. */
    LockRequest minHoldAlone() {
        return LockRequest.of(this.spec.name(), this.request.key())
                .withLease(NOTHING_MORE)
                .withMinHold(this.request.minHold());
    }

    /** How long a call waits for the lock. */
    Duration waitTime(Duration defaultWaitTime) {
        return this.request.waitTime() != null ? this.request.waitTime() : defaultWaitTime;
    }

    /** The request when part of its wait is over: all locks of a call have one deadline. */
    LockRequest after(long waitedNanos, Duration defaultWaitTime) {
        Duration waitTime = waitTime(defaultWaitTime);
        if (LockRequest.FOREVER.equals(waitTime)) {
            return this.request;
        }
        Duration left = waitTime.minusNanos(waitedNanos);
        return this.request.withWaitTime(left.isNegative() ? Duration.ZERO : left);
    }
}

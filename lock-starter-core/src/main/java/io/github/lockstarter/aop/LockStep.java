package io.github.lockstarter.aop;

import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;

/** One of the locks that a call takes, one inside of the other. */
record LockStep(LockSpec spec, LockRequest request) {

    /**
     * All locks of a call: one for each annotation and each of its keys. In the order of their names, whatever the order
     * of the keys, so that two calls that want the same locks cannot wait for each other.
     */
    static List<LockStep> of(List<LockSpec> specs, MethodInvocation invocation) {
        List<LockStep> steps = new ArrayList<>(specs.size());
        for (LockSpec spec : specs) {
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
        }
        return steps;
    }

    private static LockRequest request(LockSpec spec, KeyExpression key, String text) {
        try {
            return spec.request(text);
        } catch (IllegalArgumentException ex) {
            throw key.unusable("cannot name a lock. " + ex.getMessage(), ex);
        }
    }

    /** The request when part of its wait is over: all locks of a call have one deadline. */
    LockRequest after(long waitedNanos, Duration defaultWaitTime) {
        Duration waitTime = this.request.waitTime() != null ? this.request.waitTime() : defaultWaitTime;
        if (LockRequest.FOREVER.equals(waitTime)) {
            return this.request;
        }
        Duration left = waitTime.minusNanos(waitedNanos);
        return this.request.withWaitTime(left.isNegative() ? Duration.ZERO : left);
    }
}

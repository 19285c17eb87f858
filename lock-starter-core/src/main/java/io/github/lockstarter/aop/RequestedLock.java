package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockKeyException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.key.ConditionExpression;
import io.github.lockstarter.key.KeyExpression;
import io.github.lockstarter.tx.LockSequence;
import java.util.ArrayList;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;

/** One of the locks that a call acquires, one nested in the other. */
record RequestedLock(LockSpec spec, LockRequest request) {

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
            checkCount(specs.get(0), locks.size());
            LockSequence.arrange(locks, RequestedLock::request, reentrant);
        }
        return locks;
    }

    private static void checkCount(LockSpec spec, int count) {
        if (count > LockSequence.MOST) {
            throw new InvalidLockKeyException("A call requests " + count + " locks, such as '" + spec.name()
                    + "', which exceeds the maximum of " + LockSequence.MOST
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
}

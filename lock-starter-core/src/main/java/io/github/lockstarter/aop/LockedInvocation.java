package io.github.lockstarter.aop;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.tx.LockSequence;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * A call of a locked method and the locks that it acquires one after the other.
 *
 * @param method the method that is called
 * @param locks in the order in which they are acquired; empty if no condition is met
 * @param invocation continues with the method
 * @param registry grants the locks
 * @param defaults applies where an annotation does not specify a value
 */
record LockedInvocation(
        LockedMethod method,
        List<RequestedLock> locks,
        MethodInvocation invocation,
        LockRegistry registry,
        LockDefaults defaults) {

    /** Returns whether the call acquires any lock. */
    boolean isLocked() {
        return !this.locks.isEmpty();
    }

    /** Returns the locks as a sequence, whose deadlines count from now. */
    LockSequence sequence() {
        List<LockRequest> requests = this.locks.size() == 1
                ? List.of(this.locks.get(0).request())
                : this.locks.stream().map(RequestedLock::request).toList();
        return new LockSequence(requests, this.defaults);
    }

    /** Returns the reaction to the loss of the lock. */
    OnLost onLost(RequestedLock lock) {
        return this.defaults.onLost(lock.spec().onLost());
    }

    /** Returns an invocation that can proceed once more; that of a proxy can do so only once. */
    MethodInvocation repeatable() {
        return this.invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : this.invocation;
    }

    /** As {@link #repeatable()}, of a proxy, with other arguments. */
    MethodInvocation repeatable(@Nullable Object[] arguments) {
        return ((ProxyMethodInvocation) this.invocation).invocableClone(arguments);
    }
}

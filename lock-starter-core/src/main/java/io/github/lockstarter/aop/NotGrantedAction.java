package io.github.lockstarter.aop;

import io.github.lockstarter.LockNotGrantedException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Reaction to a lock that is not granted: skips the call or runs its fallback. */
@FunctionalInterface
interface NotGrantedAction {

    /**
     * Performs the action in place of the method.
     *
     * @return the result of the call
     */
    @Nullable
    Object perform(LockNotGrantedException failure, MethodInvocation invocation) throws Throwable;
}

package io.github.lockstarter.aop.metadata;

import io.github.lockstarter.LockNotGrantedException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** What the caller of a method gets when its lock is not granted. */
@FunctionalInterface
public interface NotGranted {

    /** Answers the call, whose method was not run. */
    @Nullable
    Object answer(LockNotGrantedException failure, MethodInvocation invocation) throws Throwable;
}

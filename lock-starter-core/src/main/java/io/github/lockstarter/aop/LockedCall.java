package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockKeyException;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.key.ConditionExpression;
import io.github.lockstarter.key.KeyExpression;
import io.github.lockstarter.text.Printable;
import io.github.lockstarter.tx.GuardedLeases;
import io.github.lockstarter.tx.LockSequence;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A call of a locked method and the locks that it acquires one after the other.
 *
 * @param method the method that is called
 * @param locks in the order in which they are acquired; empty if no condition is met
 * @param invocation continues with the method
 * @param registry grants the locks
 * @param defaults applies where an annotation does not specify a value
 */
record LockedCall(
        LockedMethod method,
        List<RequestedLock> locks,
        MethodInvocation invocation,
        LockRegistry registry,
        LockDefaults defaults) {

    /** One of the locks of a call, and the annotation that requests it. */
    record RequestedLock(LockSpec spec, LockRequest request) {}

    /**
     * Returns the locks of a call: one for each annotation whose condition is met and for each of its keys. They are
     * sorted, so that two calls that need the same locks cannot deadlock. Each condition is evaluated once, and the key only
     * if the condition is met.
     */
    static List<RequestedLock> locksOf(LockedMethod method, MethodInvocation invocation) {
        Object target = invocation.getThis();
        List<LockSpec> specs = method.specs();
        List<RequestedLock> locks = new ArrayList<>(specs.size());
        for (LockSpec spec : specs) {
            ConditionExpression condition = spec.condition();
            KeyExpression key = spec.key();
            if (condition != null && !condition.isMet(target, invocation.getArguments())) {
                continue;
            }
            if (key == null) {
                locks.add(new RequestedLock(spec, spec.template()));
            } else {
                for (String text : key.evaluate(target, invocation.getArguments())) {
                    locks.add(new RequestedLock(spec, withKey(spec.template(), key, text)));
                }
            }
        }
        if (locks.size() > 1) {
            checkCount(specs.get(0), locks.size());
            // Only a thread can acquire a lock twice; for others, the attributes of the first annotation apply.
            LockSequence.arrange(locks, RequestedLock::request, method.resultKind() == ResultKind.DIRECT);
        }
        return locks;
    }

    private static LockRequest withKey(LockRequest template, KeyExpression key, String text) {
        try {
            return template.withKey(text);
        } catch (IllegalArgumentException ex) {
            throw key.unusable("cannot name a lock. " + ex.getMessage(), ex);
        }
    }

    private static void checkCount(LockSpec spec, int count) {
        if (count > LockSequence.MOST) {
            throw new InvalidLockKeyException("A call requests " + count + " locks, such as '" + spec.name()
                    + "', which exceeds the maximum of " + LockSequence.MOST
                    + ". Use one lock for all of them, or split the call.");
        }
    }

    /** Returns the locks as a sequence, whose deadlines count from now. */
    LockSequence sequence() {
        List<LockRequest> requests = this.locks.size() == 1
                ? List.of(this.locks.get(0).request())
                : this.locks.stream().map(RequestedLock::request).toList();
        return new LockSequence(requests, this.defaults);
    }

    /**
     * Runs the method under its leases, the innermost of which is the last. The loss of one prevents the commit of transactions
     * that the method begins and commits, unless it is ignored.
     */
    @SuppressWarnings("NullAway") // does not recognize nullable type arguments
    @Nullable
    Object proceed(LockSequence sequence, List<Lease> leases) throws Throwable {
        for (int i = 0; i < leases.size(); i++) {
            if (sequence.isGuarded(i)) {
                GuardedLeases.add(leases.get(i));
            }
        }
        try {
            return LeaseContext.<@Nullable Object, Throwable>call(
                    leases.get(leases.size() - 1), current -> this.invocation.proceed());
        } finally {
            // Has no effect for leases that were not added.
            leases.forEach(GuardedLeases::remove);
        }
    }

    /** Returns the reaction to the loss of a lock. */
    OnLost onLost(int index) {
        return this.defaults.onLost(this.locks.get(index).request().onLost());
    }

    /** Returns an invocation that can proceed once more; that of a proxy can do so only once. */
    MethodInvocation repeatable() {
        return this.invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : this.invocation;
    }

    /** As {@link #repeatable()}, of a proxy, with other arguments. */
    MethodInvocation repeatable(@Nullable Object[] arguments) {
        return ((ProxyMethodInvocation) this.invocation).invocableClone(arguments);
    }

    /**
     * Returns the result of a call whose lock was not granted: that of the annotation's action, or else that of the
     * application's {@link LockFailureHandler}.
     *
     * @param index the lock
     * @throws LockNotGrantedException the failure itself, if there is neither
     * @throws IllegalStateException if the handler's result does not fit the method
     */
    @Nullable
    Object notGranted(int index, LockNotGrantedException failure) throws Throwable {
        NotGrantedAction action = this.locks.get(index).spec().notGranted();
        if (action != null) {
            return action.perform(failure, this.invocation);
        }
        LockFailureHandler handler = this.defaults.failureHandler();
        if (handler == null) {
            throw failure;
        }
        Object result = handler.notGranted(failure, this.method.site().method(), this.invocation.getArguments());
        return fitting(result, handler, failure);
    }

    /** A wrong type would otherwise fail in the caller, with a ClassCastException that does not name the handler. */
    @SuppressWarnings("FutureReturnValueIgnored") // returned to the caller
    private @Nullable Object fitting(
            @Nullable Object result, LockFailureHandler handler, LockNotGrantedException failure) {
        LockSite site = this.method.site();
        Class<?> returned = site.returnType();
        if (returned == void.class) {
            return null;
        }
        boolean suspendsForValue = site.isSuspending() && !site.returnsFlow();
        if (this.method.resultKind() == ResultKind.REACTIVE && !suspendsForValue) {
            // Any value can be emitted, and null is an empty publisher.
            return result;
        }
        if (result == null && this.method.resultKind() == ResultKind.FUTURE) {
            return CompletableFuture.completedFuture(null);
        }
        if (!ClassUtils.isAssignableValue(returned, result)) {
            String given = result != null ? "a " + result.getClass().getName() : "null";
            throw new IllegalStateException(
                    Printable.of("The LockFailureHandler " + handler.getClass().getName() + " returned " + given
                            + " for " + site + ", which returns " + returned.getName()
                            + ". Return that type, or throw the LockNotGrantedException."),
                    failure);
        }
        return result;
    }

    /**
     * Returns the exception for an interrupted wait: an InterruptedException, with the interrupt flag cleared, if the
     * method declares it, and otherwise a {@link LockInterruptedException}.
     */
    Exception interrupted(int index, LockInterruptedException failure) {
        InterruptedException interruption = failure.getCause() instanceof InterruptedException cause
                ? cause
                : new InterruptedException(failure.getMessage());
        for (Throwable loss : failure.getSuppressed()) {
            interruption.addSuppressed(loss);
        }
        if (!ReflectionUtils.declaresException(this.invocation.getMethod(), InterruptedException.class)) {
            return undeclared(index, interruption, "Declare InterruptedException on the method to receive it.");
        }
        boolean unused = Thread.interrupted();
        return interruption;
    }

    /**
     * Returns the exception for an interrupted wait of a method that does not throw InterruptedException.
     *
     * @param remedy a whole sentence
     */
    LockInterruptedException undeclared(int index, InterruptedException cause, String remedy) {
        return new LockInterruptedException(
                "Interrupted while waiting for lock '"
                        + this.defaults
                                .names()
                                .of(this.locks.get(index).request().lockName()) + "' of "
                        + this.method.site() + "; the method was not run. " + remedy,
                cause);
    }
}

package io.github.lockstarter.aop;

import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.text.Printable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Determines the outcome of a call whose method was not run because one of its locks was not acquired. */
final class AcquisitionFailures {

    private AcquisitionFailures() {}

    /**
     * Returns the result of a call whose lock was not granted: that of the annotation's action, or else that of the
     * application's {@link LockFailureHandler}.
     *
     * @throws LockNotGrantedException the failure itself, if there is neither
     * @throws IllegalStateException if the handler's result does not fit the method
     */
    static @Nullable Object notGranted(LockedInvocation call, RequestedLock lock, LockNotGrantedException failure)
            throws Throwable {
        NotGrantedAction action = lock.spec().notGranted();
        if (action != null) {
            return action.perform(failure, call.invocation());
        }
        LockFailureHandler handler = call.defaults().failureHandler();
        if (handler == null) {
            throw failure;
        }
        Object result = handler.notGranted(
                failure, call.method().site().method(), call.invocation().getArguments());
        return checked(result, call, handler, failure);
    }

    /** A wrong type would otherwise fail in the caller, with a ClassCastException that does not name the handler. */
    @SuppressWarnings("FutureReturnValueIgnored") // returned to the caller
    private static @Nullable Object checked(
            @Nullable Object result,
            LockedInvocation call,
            LockFailureHandler handler,
            LockNotGrantedException failure) {
        LockSite site = call.method().site();
        Class<?> returned = site.returnType();
        if (returned == void.class) {
            return null;
        }
        ResultKind kind = call.method().resultKind();
        boolean suspendsForValue = site.isSuspending() && !site.returnsFlow();
        if (kind == ResultKind.REACTIVE && !suspendsForValue) {
            // Any value can be emitted, and null is an empty publisher.
            return result;
        }
        if (result == null && kind == ResultKind.FUTURE) {
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
    static Exception interrupted(LockedInvocation call, RequestedLock lock, LockInterruptedException failure) {
        InterruptedException interruption = failure.getCause() instanceof InterruptedException cause
                ? cause
                : new InterruptedException(failure.getMessage());
        for (Throwable loss : failure.getSuppressed()) {
            interruption.addSuppressed(loss);
        }
        if (!ReflectionUtils.declaresException(call.invocation().getMethod(), InterruptedException.class)) {
            return unchecked(call, lock, interruption, "Declare InterruptedException on the method to receive it.");
        }
        boolean unused = Thread.interrupted();
        return interruption;
    }

    /**
     * Returns the exception for an interrupted wait of a method that does not throw InterruptedException.
     *
     * @param remedy a whole sentence
     */
    static LockInterruptedException unchecked(
            LockedInvocation call, RequestedLock lock, InterruptedException cause, String remedy) {
        return new LockInterruptedException(
                "Interrupted while waiting for lock '"
                        + call.defaults().names().of(lock.request().lockName()) + "' of "
                        + call.method().site() + "; the method was not run. " + remedy,
                cause);
    }
}

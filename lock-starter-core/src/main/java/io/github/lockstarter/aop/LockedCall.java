package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockKeyException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.named.RequestDefaults;
import io.github.lockstarter.text.Printable;
import io.github.lockstarter.tx.LockSequence;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A call of a locked method and the locks that it acquires. The work of a direct call ends when the method returns. For a method
 * that returns a future, the calling thread waits for the locks and runs the method; the leases belong to no thread and are
 * released when the future is complete, by the thread that completes it. {@link ReactiveCall} runs the others.
 */
final class LockedCall {

    final MethodInvocation invocation;

    final LockRegistry registry;

    /** Has no locks if no condition is met. */
    final LockSequence locks;

    final LockedMethod method;

    private final RequestDefaults defaults;

    private final Supplier<@Nullable LockFailureHandler> failureHandler;

    private final List<RequestedLock> requested;

    /** One of the locks of a call, and the annotation that requests it. */
    private record RequestedLock(LockSpec spec, LockRequest request) {}

    /** Creates a call, which evaluates conditions and keys. */
    LockedCall(
            LockedMethod method,
            MethodInvocation invocation,
            LockRegistry registry,
            RequestDefaults defaults,
            Supplier<@Nullable LockFailureHandler> failureHandler) {
        this.method = method;
        this.invocation = invocation;
        this.registry = registry;
        this.defaults = defaults;
        this.failureHandler = failureHandler;
        this.requested = requested(method, invocation);
        this.locks = new LockSequence(
                this.requested.size() == 1
                        ? List.of(this.requested.get(0).request())
                        : this.requested.stream().map(RequestedLock::request).toList(),
                defaults);
    }

    /**
     * Returns one lock for each annotation whose condition is met and for each of its keys. They are sorted, so that two calls
     * that need the same locks cannot deadlock. Each condition is evaluated once, and the key only if the condition is met.
     */
    private static List<RequestedLock> requested(LockedMethod method, MethodInvocation invocation) {
        Object target = invocation.getThis();
        List<LockSpec> specs = method.specs();
        List<RequestedLock> found = new ArrayList<>(specs.size());
        for (LockSpec spec : specs) {
            for (LockRequest request : spec.requests(target, invocation.getArguments())) {
                found.add(new RequestedLock(spec, request));
            }
        }
        if (found.size() > LockSequence.MOST) {
            throw new InvalidLockKeyException("A call requests " + found.size() + " locks, such as '"
                    + specs.get(0).name() + "', which exceeds the maximum of " + LockSequence.MOST
                    + ". Use one lock for all of them, or split the call.");
        }
        if (found.size() > 1) {
            // Only a thread can acquire a lock twice; for others, the attributes of the first annotation apply.
            LockSequence.arrange(found, RequestedLock::request, method.resultKind == ResultKind.DIRECT);
        }
        return found;
    }

    /** Returns whether the call takes no lock. */
    boolean isUnlocked() {
        return this.requested.isEmpty();
    }

    /** Runs the call of a method that is not reactive. */
    @Nullable
    Object run() throws Throwable {
        if (this.requested.isEmpty()) {
            return this.invocation.proceed();
        }
        return this.method.resultKind == ResultKind.FUTURE ? runFuture() : runDirect();
    }

    @SuppressWarnings("NullAway") // does not recognize nullable type arguments
    private @Nullable Object runDirect() throws Throwable {
        try {
            return this.locks.<@Nullable Object, Throwable>execute(this.registry, lease -> proceed());
        } catch (LockNotGrantedException ex) {
            throwIfBegun(ex);
            return notGranted(ex);
        } catch (LockInterruptedException ex) {
            throwIfBegun(ex);
            throw interrupted(ex);
        }
    }

    /** After the method was started, the exception is the method's own. */
    private <E extends Exception> void throwIfBegun(E failure) throws E {
        if (this.locks.isBegun()) {
            throw failure;
        }
    }

    /** Runs the method in this thread, under all its locks. */
    @SuppressWarnings("NullAway") // does not recognize nullable type arguments
    private @Nullable Object proceed() throws Throwable {
        return this.locks.<@Nullable Object, Throwable>call(lease -> this.invocation.proceed());
    }

    // ---- Futures

    /** Returns the method's result; a failure before the method was started is reported by a future, like its own. */
    @SuppressWarnings("FutureReturnValueIgnored") // returned to the caller
    private @Nullable Object runFuture() throws Throwable {
        try {
            return runUnderLeases();
        } catch (LockNotGrantedException ex) {
            throwIfBegun(ex);
            try {
                return notGranted(ex);
            } catch (LockNotGrantedException failure) {
                return CompletableFuture.failedFuture(failure);
            }
        } catch (LockException ex) {
            throwIfBegun(ex);
            return CompletableFuture.failedFuture(ex);
        } catch (InterruptedException ex) {
            throwIfBegun(ex);
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(undeclared(
                    ex,
                    "The calling thread waits for the lock of a future; LockRegistry.acquireAsync waits"
                            + " without a thread."));
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // returned to the caller
    private @Nullable Object runUnderLeases() throws Throwable {
        Object returned;
        try {
            while (!this.locks.areAllGranted()) {
                this.locks.add(this.registry.acquire(this.locks.next()));
            }
            this.locks.begin();
            returned = proceed();
            if (returned instanceof CompletionStage<?> stage) {
                return completedAfterRelease(stage);
            }
        } catch (Throwable ex) {
            this.locks.releaseAfter(ex);
            throw ex;
        }
        LockLostException loss = this.locks.release().join();
        if (loss != null) {
            throw loss;
        }
        return returned;
    }

    /**
     * Returns a future of work that holds the locks. It completes after their release, and they are held until the work
     * itself has ended: cancelling this future does not stop the work, so a release on cancellation would admit the next owner
     * too early. Nothing here blocks the thread that completes the work, which may be the one that reads the store's answers.
     */
    private CompletableFuture<@Nullable Object> completedAfterRelease(CompletionStage<?> work) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        CompletionStage<?> unused = work.whenComplete((value, failure) -> {
            CompletionStage<?> unusedToo = this.locks.release().whenComplete((loss, releaseFailure) -> {
                Throwable reported = failure;
                if (failure != null) {
                    LockSequence.addLoss(loss, failure);
                } else {
                    // A registry of the application may throw anything; this future must complete in any case.
                    reported = loss != null || releaseFailure == null ? loss : LockSequence.unwrapped(releaseFailure);
                }
                boolean unusedResult =
                        reported != null ? result.completeExceptionally(reported) : result.complete(value);
            });
        });
        return result;
    }

    // ---- Locks that are not granted

    /**
     * Returns the result of a call whose next lock was not granted: that of the annotation's action, or else that of the
     * application's {@link LockFailureHandler}.
     *
     * @throws LockNotGrantedException the failure itself, if there is neither
     * @throws IllegalStateException if the handler's result does not fit the method
     */
    @Nullable
    Object notGranted(LockNotGrantedException failure) throws Throwable {
        NotGrantedAction action =
                this.requested.get(this.locks.granted()).spec().notGranted();
        if (action != null) {
            return action.perform(failure, this.invocation);
        }
        LockFailureHandler handler = this.failureHandler.get();
        if (handler == null) {
            throw failure;
        }
        Object result = handler.notGranted(failure, this.method.site.method(), this.invocation.getArguments());
        return fitting(result, handler, failure);
    }

    /** A wrong type would otherwise fail in the caller, with a ClassCastException that does not name the handler. */
    @SuppressWarnings("FutureReturnValueIgnored") // returned to the caller
    private @Nullable Object fitting(
            @Nullable Object result, LockFailureHandler handler, LockNotGrantedException failure) {
        LockSite site = this.method.site;
        Class<?> returned = site.returnType();
        if (returned == void.class) {
            return null;
        }
        boolean suspendsForValue = site.isSuspending() && !site.returnsFlow();
        if (this.method.resultKind == ResultKind.REACTIVE && !suspendsForValue) {
            // Any value can be emitted, and null is an empty publisher.
            return result;
        }
        if (result == null && this.method.resultKind == ResultKind.FUTURE) {
            return CompletableFuture.completedFuture(null);
        }
        if (!ClassUtils.isAssignableValue(returned, result)) {
            throw new IllegalStateException(
                    Printable.of("The LockFailureHandler " + handler.getClass().getName() + " returned "
                            + (result != null ? "a " + result.getClass().getName() : "null") + " for " + site
                            + ", which returns " + returned.getName()
                            + ". Return that type, or throw the LockNotGrantedException."),
                    failure);
        }
        return result;
    }

    /**
     * Returns the exception for an interrupted wait: an InterruptedException, with the interrupt flag cleared, if the
     * method declares it, and otherwise a {@link LockInterruptedException}.
     */
    private Exception interrupted(LockInterruptedException failure) {
        InterruptedException interruption = failure.getCause() instanceof InterruptedException cause
                ? cause
                : new InterruptedException(failure.getMessage());
        for (Throwable loss : failure.getSuppressed()) {
            interruption.addSuppressed(loss);
        }
        if (!ReflectionUtils.declaresException(this.invocation.getMethod(), InterruptedException.class)) {
            return undeclared(interruption, "Declare InterruptedException on the method to receive it.");
        }
        boolean unused = Thread.interrupted();
        return interruption;
    }

    private LockInterruptedException undeclared(InterruptedException cause, String remedy) {
        String lockName = this.requested.get(this.locks.granted()).request().lockName();
        return new LockInterruptedException(
                "Interrupted while waiting for lock '" + this.defaults.names().of(lockName) + "' of " + this.method.site
                        + "; the method was not run. " + remedy,
                cause);
    }
}

package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockKeyException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedCallback;
import io.github.lockstarter.named.RequestDefaults;
import io.github.lockstarter.registry.LockSequence;
import io.github.lockstarter.text.LoggedNames;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/** Runs methods under the locks that their annotations specify. Thread-safe. */
final class DistributedLockInterceptor implements MethodInterceptor {

    private final LockedMethodSource methods;

    private final RequestDefaults defaults;

    private final SingletonSupplier<LockRegistry> registry;

    /**
     * Creates the interceptor.
     *
     * @param registry called at the first call of a locked method, because proxies exist before the beans of a registry
     */
    DistributedLockInterceptor(LockedMethodSource methods, RequestDefaults defaults, Supplier<LockRegistry> registry) {
        this.methods = methods;
        this.defaults = defaults;
        this.registry = SingletonSupplier.of(registry);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        LockedMethod method =
                this.methods.find(invocation.getMethod(), target != null ? AopUtils.getTargetClass(target) : null);
        return method != null ? invoke(method, invocation) : invocation.proceed();
    }

    /** Runs a call of a locked method. */
    @Nullable
    Object invoke(LockedMethod method, MethodInvocation invocation) throws Throwable {
        LockRegistry locks = this.registry.obtain();
        // Conditions and keys of a reactive method are evaluated for each subscription.
        return method.resultKind == ResultKind.REACTIVE
                ? ReactiveCall.result(method, invocation, () -> new LockedCall(method, invocation, locks))
                : new LockedCall(method, invocation, locks).run();
    }

    /**
     * A call of a locked method and the locks that it acquires. The work of a direct call ends when the method returns.
     * For a method that returns a future, the calling thread waits for the locks and runs the method; the leases belong
     * to no thread and are released when the future is complete, by the thread that completes it. {@link ReactiveCall}
     * runs the others.
     */
    final class LockedCall {

        final LockedMethod method;

        final MethodInvocation invocation;

        final LockRegistry registry;

        /** Has no locks if no condition is met. */
        final LockSequence locks;

        /** The requests in the order in which their locks are acquired. */
        private final List<LockRequest> requests = new ArrayList<>(1);

        /** The annotation of each request; unused if the method has one annotation. */
        private final Map<LockRequest, LockSpec> specs;

        /**
         * Creates a call with one lock for each annotation whose condition is met and for each of its keys. They are
         * sorted; two calls that need the same locks therefore cannot deadlock. Each condition is evaluated once, and
         * the key only if the condition is met.
         */
        LockedCall(LockedMethod method, MethodInvocation invocation, LockRegistry registry) {
            this.method = method;
            this.invocation = invocation;
            this.registry = registry;
            List<LockSpec> all = method.specs();
            this.specs = all.size() == 1 ? Map.of() : new IdentityHashMap<>();
            for (LockSpec spec : all) {
                for (LockRequest request : spec.requests(invocation.getThis(), invocation.getArguments())) {
                    this.requests.add(request);
                    if (all.size() > 1) {
                        this.specs.put(request, spec);
                    }
                }
            }
            int count = this.requests.size();
            if (count > LockSequence.MAX_LOCKS) {
                throw new InvalidLockKeyException("A call requests " + count + " locks, such as '"
                        + method.specs().get(0).name() + "', which exceeds the maximum of " + LockSequence.MAX_LOCKS
                        + ". Use one lock for all of them, or split the call.");
            }
            if (count > 1) {
                // Only a thread can acquire a lock twice; for others, the attributes of the first annotation apply.
                LockSequence.arrange(this.requests, method.resultKind == ResultKind.DIRECT);
            }
            this.locks = new LockSequence(this.requests, DistributedLockInterceptor.this.defaults);
        }

        /** Returns whether the call takes no lock. */
        boolean isUnlocked() {
            return this.requests.isEmpty();
        }

        /** Runs the call of a method that is not reactive. */
        @SuppressWarnings("NullAway") // does not recognize nullable type arguments
        @Nullable
        Object run() throws Throwable {
            if (this.requests.isEmpty()) {
                return this.invocation.proceed();
            }
            LockedCallback<@Nullable Object, Throwable> work = lease -> this.invocation.proceed();
            try {
                return this.method.resultKind == ResultKind.FUTURE
                        ? runUnderLeases(work)
                        : this.locks.<@Nullable Object, Throwable>execute(
                                this.registry, lease -> this.locks.call(work));
            } catch (LockException | InterruptedException ex) {
                if (this.locks.isBegun()) {
                    // The exception is the method's own.
                    throw ex;
                }
                return notStarted(ex);
            }
        }

        // ---- Futures

        @SuppressWarnings("FutureReturnValueIgnored") // returned to the caller
        private @Nullable Object runUnderLeases(LockedCallback<@Nullable Object, Throwable> work) throws Throwable {
            Object returned;
            try {
                while (!this.locks.areAllGranted()) {
                    this.locks.acquire(this.registry);
                }
                this.locks.begin();
                returned = this.locks.call(work);
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
         * Returns a future of work that holds the locks. It completes after their release, and they are held until the
         * work itself has ended: cancelling this future does not stop the work, so a release on cancellation would
         * admit the next owner too early. Nothing here blocks the thread that completes the work, which may be the one
         * that reads the store's answers.
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
                        reported =
                                loss != null || releaseFailure == null ? loss : LockSequence.unwrapped(releaseFailure);
                    }
                    boolean unusedResult =
                            reported != null ? result.completeExceptionally(reported) : result.complete(value);
                });
            });
            return result;
        }

        // ---- Locks that are not granted

        /**
         * Returns the result of a call whose method was not started; a future reports the failure like one of the
         * method.
         */
        @SuppressWarnings("FutureReturnValueIgnored") // returned to the caller
        private @Nullable Object notStarted(Exception failure) throws Throwable {
            Throwable reported = failure;
            if (failure instanceof LockNotGrantedException refusal) {
                try {
                    return notGranted(refusal);
                } catch (LockNotGrantedException ex) {
                    reported = ex;
                }
            } else if (failure instanceof InterruptedException || failure instanceof LockInterruptedException) {
                reported = interrupted(failure);
            }
            if (this.method.resultKind == ResultKind.FUTURE) {
                return CompletableFuture.failedFuture(reported);
            }
            throw reported;
        }

        /** Returns the result of a call whose next lock was not granted; see {@link NotGrantedAction#perform}. */
        @Nullable
        Object notGranted(LockNotGrantedException failure) throws Throwable {
            LockSpec one = this.method.specs().get(0);
            LockSpec spec = this.specs.isEmpty() ? one : Objects.requireNonNull(this.specs.get(next()));
            return spec.notGranted().perform(failure, this.invocation);
        }

        private LockRequest next() {
            return this.requests.get(this.locks.index());
        }

        /**
         * Returns the exception for an interrupted wait: an InterruptedException, with the interrupt flag cleared, if
         * the method is direct and declares it, and otherwise a {@link LockInterruptedException}.
         */
        private Exception interrupted(Exception failure) {
            InterruptedException interruption = failure instanceof InterruptedException thrown
                    ? thrown
                    : failure.getCause() instanceof InterruptedException cause
                            ? cause
                            : new InterruptedException(failure.getMessage());
            if (interruption != failure) {
                for (Throwable loss : failure.getSuppressed()) {
                    interruption.addSuppressed(loss);
                }
            }
            boolean future = this.method.resultKind == ResultKind.FUTURE;
            if (future) {
                Thread.currentThread().interrupt();
            } else if (ReflectionUtils.declaresException(this.invocation.getMethod(), InterruptedException.class)) {
                boolean unused = Thread.interrupted();
                return interruption;
            }
            LoggedNames names = DistributedLockInterceptor.this.defaults.names();
            return new LockInterruptedException(
                    "Interrupted while waiting for lock '" + names.of(next().lockName()) + "' of " + this.method.site
                            + "; the method was not run. "
                            + (future
                                    ? "The calling thread waits for the lock of a future; LockRegistry.acquireAsync"
                                            + " waits without a thread."
                                    : "Declare InterruptedException on the method to receive it."),
                    interruption);
        }
    }
}

package io.github.lockstarter.aop.call;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.aop.metadata.LockSite;
import io.github.lockstarter.aop.metadata.LockedMethod;
import io.github.lockstarter.aop.metadata.LockedMethods;
import io.github.lockstarter.aop.metadata.NotGranted;
import io.github.lockstarter.aop.metadata.ResultKind;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/** Runs methods under the lock that their annotation asks for. */
public final class DistributedLockInterceptor implements MethodInterceptor {

    private final LockedMethods methods;

    private final LockDefaults defaults;

    private final SingletonSupplier<LockRegistry> registry;

    private final Supplier<@Nullable LockFailureHandler> failureHandler;

    /**
     * Creates the interceptor.
     *
     * @param registry asked at the first call: proxies are made before the beans that a registry needs
     * @param failureHandler asked when a lock is not granted
     */
    public DistributedLockInterceptor(
            LockedMethods methods,
            LockDefaults defaults,
            Supplier<LockRegistry> registry,
            Supplier<@Nullable LockFailureHandler> failureHandler) {
        this.methods = methods;
        this.defaults = defaults;
        this.registry = SingletonSupplier.of(registry);
        this.failureHandler = failureHandler;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        LockedMethod locked =
                this.methods.find(invocation.getMethod(), target != null ? AopUtils.getTargetClass(target) : null);
        if (locked == null) {
            return invocation.proceed();
        }
        ResultKind kind = locked.resultKind();
        if (kind == ResultKind.REACTIVE) {
            // Each subscription is a call of its own, and may come at a time when conditions and keys have changed.
            return reactive(locked, () -> lockedInvocation(locked, invocation), invocation);
        }
        LockedInvocation call = lockedInvocation(locked, invocation);
        if (!call.isLocked()) {
            return invocation.proceed();
        }
        return kind == ResultKind.FUTURE ? future(locked, call) : direct(locked, call);
    }

    private LockedInvocation lockedInvocation(LockedMethod locked, MethodInvocation invocation) {
        ResultKind kind = locked.resultKind();
        boolean owned = kind != ResultKind.FUTURE && kind != ResultKind.REACTIVE;
        return new LockedInvocation(
                this.registry.obtain(), this.defaults, LockStep.of(locked.specs(), invocation, owned), invocation);
    }

    private @Nullable Object direct(LockedMethod locked, LockedInvocation invocation) throws Throwable {
        LockedCall call = new LockedCall(invocation);
        try {
            return call.run();
        } catch (LockNotGrantedException ex) {
            if (call.isStarted()) {
                throw ex;
            }
            return notGranted(ex, locked, call.current(), invocation.invocation());
        } catch (LockInterruptedException ex) {
            if (call.isStarted()) {
                throw ex;
            }
            throw interrupted(ex, locked, call.current(), invocation);
        }
    }

    /** What goes wrong before the work has begun is told as the work would tell it: by the future. */
    private @Nullable Object future(LockedMethod locked, LockedInvocation invocation) throws Throwable {
        FutureCall call = new FutureCall(invocation);
        try {
            return call.run();
        } catch (LockException ex) {
            if (call.isStarted()) {
                throw ex;
            }
            return ex instanceof LockNotGrantedException failure
                    ? notGrantedLater(failure, locked, call.current(), invocation)
                    : CompletableFuture.failedFuture(ex);
        } catch (InterruptedException ex) {
            if (call.isStarted()) {
                throw ex;
            }
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(unchecked(
                    ex,
                    locked,
                    call.current(),
                    "The calling thread waits for the lock of a future; LockRegistry.acquireAsync waits without a"
                            + " thread."));
        }
    }

    private @Nullable Object notGrantedLater(
            LockNotGrantedException failure, LockedMethod locked, LockStep step, LockedInvocation invocation)
            throws Throwable {
        try {
            return notGranted(failure, locked, step, invocation.invocation());
        } catch (LockNotGrantedException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    private Object reactive(LockedMethod locked, Supplier<LockedInvocation> calls, MethodInvocation invocation) {
        return new ReactiveCall(calls, (failure, step) -> notGranted(failure, locked, step, invocation))
                .publisher(locked.site().returnType());
    }

    /** A method that declares InterruptedException gets that one, with the flag cleared, as from waits of Java itself. */
    private Exception interrupted(
            LockInterruptedException ex, LockedMethod locked, LockStep step, LockedInvocation invocation) {
        InterruptedException interruption =
                ex.getCause() instanceof InterruptedException cause ? cause : new InterruptedException(ex.getMessage());
        for (Throwable loss : ex.getSuppressed()) {
            interruption.addSuppressed(loss);
        }
        if (!ReflectionUtils.declaresException(invocation.invocation().getMethod(), InterruptedException.class)) {
            return unchecked(interruption, locked, step, "Declare InterruptedException on it to get that instead.");
        }
        boolean unused = Thread.interrupted();
        return interruption;
    }

    private LockInterruptedException unchecked(
            InterruptedException ex, LockedMethod locked, LockStep step, String advice) {
        return new LockInterruptedException(
                "Interrupted while waiting for lock '"
                        + this.defaults.names().of(step.request().lockName()) + "' of " + locked.site()
                        + "; the method was not run. " + advice,
                ex);
    }

    private @Nullable Object notGranted(
            LockNotGrantedException failure, LockedMethod locked, LockStep step, MethodInvocation invocation)
            throws Throwable {
        NotGranted own = step.spec().notGranted();
        if (own != null) {
            return own.answer(failure, invocation);
        }
        LockFailureHandler handler = this.failureHandler.get();
        if (handler == null) {
            throw failure;
        }
        LockSite site = locked.site();
        Object answer = handler.notGranted(failure, site.method(), invocation.getArguments());
        return HandlerAnswer.checked(answer, site, locked.resultKind(), handler, failure);
    }
}

package io.github.lockstarter.aop;

import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.named.RequestDefaults;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.function.SingletonSupplier;

/** Runs methods under the locks that their annotations specify. Thread-safe. */
final class DistributedLockInterceptor implements MethodInterceptor {

    private final LockedMethodSource methods;

    private final RequestDefaults defaults;

    private final SingletonSupplier<LockRegistry> registry;

    private final Supplier<@Nullable LockFailureHandler> failureHandler;

    /**
     * Creates the interceptor.
     *
     * @param registry called at the first call of a locked method, because proxies exist before the beans of a registry
     * @param failureHandler supplies the application's handler of locks that are not granted; null if there is none
     */
    DistributedLockInterceptor(
            LockedMethodSource methods,
            RequestDefaults defaults,
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
        LockedMethod method =
                this.methods.find(invocation.getMethod(), target != null ? AopUtils.getTargetClass(target) : null);
        return method != null ? invoke(method, invocation) : invocation.proceed();
    }

    /** Runs a call of a locked method. */
    @Nullable
    Object invoke(LockedMethod method, MethodInvocation invocation) throws Throwable {
        LockRegistry locks = this.registry.obtain();
        if (method.resultKind == ResultKind.REACTIVE) {
            // Conditions and keys are evaluated for each subscription.
            return ReactiveCall.result(
                    method,
                    invocation,
                    () -> new LockedCall(method, invocation, locks, this.defaults, this.failureHandler));
        }
        return new LockedCall(method, invocation, locks, this.defaults, this.failureHandler).run();
    }
}

package io.github.lockstarter.aop;

import io.github.lockstarter.LockRegistry;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.function.SingletonSupplier;

/** Runs methods under the locks that their annotations specify. Thread-safe. */
final class DistributedLockInterceptor implements MethodInterceptor {

    private final LockedMethodSource methods;

    private final LockDefaults defaults;

    private final SingletonSupplier<LockRegistry> registry;

    /**
     * Creates the interceptor.
     *
     * @param registry called at the first call of a locked method, because proxies exist before the beans of a registry
     */
    DistributedLockInterceptor(LockedMethodSource methods, LockDefaults defaults, Supplier<LockRegistry> registry) {
        this.methods = methods;
        this.defaults = defaults;
        this.registry = SingletonSupplier.of(registry);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        LockedMethod method =
                this.methods.find(invocation.getMethod(), target != null ? AopUtils.getTargetClass(target) : null);
        if (method == null) {
            return invocation.proceed();
        }
        LockRegistry locks = this.registry.obtain();
        if (method.resultKind() == ResultKind.REACTIVE) {
            // Conditions and keys are evaluated for each subscription.
            return ReactiveCall.result(
                    method, invocation, () -> new LockedCall(method, invocation, locks, this.defaults));
        }
        return new LockedCall(method, invocation, locks, this.defaults).run();
    }
}

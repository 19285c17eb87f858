package io.github.lockstarter.aop;

import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.tx.LockSequence;
import io.github.lockstarter.tx.NestedLocks;
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
        if (method.resultKind() == ResultKind.REACTIVE) {
            // Conditions and keys are evaluated for each subscription.
            return ReactiveCall.result(method, invocation, () -> call(method, invocation));
        }
        LockedCall call = call(method, invocation);
        if (call.locks().isEmpty()) {
            return invocation.proceed();
        }
        return method.resultKind() == ResultKind.FUTURE ? new FutureCall(call).run() : run(call);
    }

    private LockedCall call(LockedMethod method, MethodInvocation invocation) {
        return new LockedCall(
                method, LockedCall.locksOf(method, invocation), invocation, this.registry.obtain(), this.defaults);
    }

    /** Acquires the locks of the call, runs the method, whose work ends when it returns, and releases them. */
    @SuppressWarnings("NullAway") // does not recognize nullable type arguments
    private static @Nullable Object run(LockedCall call) throws Throwable {
        LockSequence sequence = call.sequence();
        NestedLocks<@Nullable Object, Throwable> locks =
                new NestedLocks<>(call.registry(), sequence, leases -> call.proceed(sequence, leases));
        try {
            return locks.run();
        } catch (LockNotGrantedException ex) {
            // After the method was started, the exception is the method's own.
            if (locks.areAllGranted()) {
                throw ex;
            }
            return call.notGranted(locks.granted(), ex);
        } catch (LockInterruptedException ex) {
            if (locks.areAllGranted()) {
                throw ex;
            }
            throw call.interrupted(locks.granted(), ex);
        }
    }
}

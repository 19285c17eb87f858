package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedCallback;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/** Runs methods under the lock that their annotation asks for. */
final class DistributedLockInterceptor implements MethodInterceptor {

    private final LockedMethods methods;

    private final SingletonSupplier<LockRegistry> registry;

    /**
     * Creates the interceptor.
     *
     * @param registry asked at the first call: proxies are made before the beans that a registry needs
     */
    DistributedLockInterceptor(LockedMethods methods, Supplier<LockRegistry> registry) {
        this.methods = methods;
        this.registry = SingletonSupplier.of(registry);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        LockedMethod locked =
                this.methods.find(invocation.getMethod(), target != null ? AopUtils.getTargetClass(target) : null);
        if (locked == null) {
            return invocation.proceed();
        }
        LockRequest request = request(locked.spec(), invocation);
        Body body = new Body(invocation);
        try {
            return this.registry.obtain().execute(request, body);
        } catch (InterruptedException ex) {
            if (body.started || ReflectionUtils.declaresException(invocation.getMethod(), InterruptedException.class)) {
                throw ex;
            }
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    "Interrupted while waiting for lock '" + request.lockName() + "' of " + locked.site()
                            + "; the method was not run. Declare InterruptedException on it to get that instead.",
                    ex);
        }
    }

    private static LockRequest request(LockSpec spec, MethodInvocation invocation) {
        KeyExpression key = spec.key();
        if (key == null) {
            return spec.request("");
        }
        String text = key.evaluate(invocation.getThis(), invocation.getArguments());
        try {
            return spec.request(text);
        } catch (IllegalArgumentException ex) {
            throw key.unusable("cannot name a lock. " + ex.getMessage(), ex);
        }
    }

    /** The rest of the call, once it runs under the lock. */
    private static final class Body implements LockedCallback<@Nullable Object> {

        private final MethodInvocation invocation;

        private boolean started;

        Body(MethodInvocation invocation) {
            this.invocation = invocation;
        }

        @Override
        @SuppressWarnings("NullAway") // it does not see that the type argument is nullable
        public @Nullable Object run(Lease lease) throws Exception {
            this.started = true;
            return LeaseContext.call(lease, this::proceed);
        }

        private @Nullable Object proceed(Lease lease) throws Exception {
            try {
                return this.invocation.proceed();
            } catch (Throwable ex) {
                throw Body.<RuntimeException>asItIs(ex);
            }
        }

        /** A callback may throw exceptions only, but what the method threw must arrive unwrapped, whatever it is. */
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <E extends Throwable> E asItIs(Throwable thrown) throws E {
            throw (E) thrown;
        }
    }
}

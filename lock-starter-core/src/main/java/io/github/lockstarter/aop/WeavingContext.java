package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Runs the calls of woven methods that belong to one application context. Thread-safe. */
final class WeavingContext {

    private final LockedMethodSource methods;

    private final DistributedLockInterceptor interceptor;

    private final WeakIdentitySet beans = new WeakIdentitySet();

    private volatile boolean active;

    /**
     * Creates the context, which is not active.
     *
     * @param interceptor shared with the proxies of the application context
     */
    public WeavingContext(LockedMethodSource methods, DistributedLockInterceptor interceptor) {
        this.methods = methods;
        this.interceptor = interceptor;
    }

    /** Sets whether woven methods acquire their locks; if not, proxies do so or locks are disabled. */
    public void setActive(boolean active) {
        this.active = active;
    }

    boolean isActive() {
        return this.active;
    }

    /** Registers a bean that has woven methods, so that its calls are assigned to this context if several are open. */
    public void add(Object bean, List<LockedMethod> methodsOfBean) {
        if (methodsOfBean.stream()
                .anyMatch(method -> WovenMethods.contains(method.site().method()))) {
            this.beans.add(bean);
        }
    }

    boolean owns(Object target) {
        return this.beans.contains(target);
    }

    @Nullable
    Object invoke(MethodInvocation invocation) throws Throwable {
        return this.active && isLocked(invocation) ? this.interceptor.invoke(invocation) : invocation.proceed();
    }

    private boolean isLocked(MethodInvocation invocation) {
        Method called = invocation.getMethod();
        Object target = invocation.getThis();
        LockedMethod method = this.methods.find(called, target != null ? AopUtils.getTargetClass(target) : null);
        if (method == null) {
            return false;
        }
        Method specific = method.site().method();
        if (!specific.equals(called) && WovenMethods.contains(specific)) {
            // A call of super: the overriding method has acquired the lock, as with proxies.
            return false;
        }
        method.checkResult();
        return true;
    }
}

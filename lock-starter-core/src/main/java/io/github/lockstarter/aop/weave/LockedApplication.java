package io.github.lockstarter.aop.weave;

import io.github.lockstarter.aop.call.DistributedLockInterceptor;
import io.github.lockstarter.aop.metadata.LockedMethod;
import io.github.lockstarter.aop.metadata.LockedMethods;
import io.github.lockstarter.aop.metadata.LockedType;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** One application context, as woven code sees it. */
public final class LockedApplication {

    private final LockedMethods methods;

    private final DistributedLockInterceptor interceptor;

    private final WeakIdentitySet beans = new WeakIdentitySet();

    private volatile boolean weaving;

    public LockedApplication(LockedMethods methods, DistributedLockInterceptor interceptor) {
        this.methods = methods;
        this.interceptor = interceptor;
    }

    /** Whether woven methods get their lock from the aspect; if not, proxies or nobody are to do so. */
    public boolean isWeaving() {
        return this.weaving;
    }

    public void setWeaving(boolean weaving) {
        this.weaving = weaving;
    }

    /** Notes a bean of a type that may be woven, for JVMs with more than one context. */
    public void add(Object bean, LockedType type) {
        if (type.methods().stream()
                .anyMatch(locked -> WovenMethods.contains(locked.site().method()))) {
            this.beans.add(bean);
        }
    }

    public boolean owns(Object target) {
        return this.beans.contains(target);
    }

    @Nullable
    public Object call(MethodInvocation call) throws Throwable {
        return this.weaving && needsLock(call) ? this.interceptor.invoke(call) : call.proceed();
    }

    private boolean needsLock(MethodInvocation call) {
        Method method = call.getMethod();
        Object target = call.getThis();
        LockedMethod locked = this.methods.find(method, target != null ? AopUtils.getTargetClass(target) : null);
        if (locked == null) {
            return false;
        }
        Method specific = locked.site().method();
        if (!specific.equals(method) && WovenMethods.contains(specific)) {
            // A call of super: the method that overrides this one has the lock, as with proxies.
            return false;
        }
        locked.checkResult();
        return true;
    }
}

package io.github.lockstarter.aop;

import io.github.lockstarter.aop.call.DistributedLockInterceptor;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.target.EmptyTargetSource;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;

/** Where the lock goes in a proxy that is there already. */
final class AdvisorChain {

    private AdvisorChain() {}

    /** Whether a call through the proxy takes the lock already, in the proxy or in one behind it. */
    static boolean locks(Object bean) {
        if (!(bean instanceof Advised advised)) {
            return false;
        }
        for (Advisor advisor : advised.getAdvisors()) {
            if (advisor.getAdvice() instanceof DistributedLockInterceptor) {
                return true;
            }
        }
        Object target = AopProxyUtils.getSingletonTarget(bean);
        return target != null && locks(target);
    }

    /** Before the first advisor that comes later by its order, as if both had been sorted into one proxy. */
    static void add(Advised advised, Advisor lock) {
        Advisor[] present = advised.getAdvisors();
        int position = 0;
        while (position < present.length && isOutside(present[position], lock)) {
            position++;
        }
        // Without a target the last interceptor does the work of the method.
        boolean lastIsTarget = advised.getTargetSource() instanceof EmptyTargetSource && present.length > 0;
        advised.addAdvisor(lastIsTarget ? Math.min(position, present.length - 1) : position, lock);
    }

    private static boolean isOutside(Advisor present, Advisor lock) {
        return AnnotationAwareOrderComparator.INSTANCE.compare(present, lock) <= 0;
    }
}

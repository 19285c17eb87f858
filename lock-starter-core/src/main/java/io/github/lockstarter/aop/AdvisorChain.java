package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockDefinitionException;
import java.util.List;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.target.EmptyTargetSource;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;

/** Adds the lock to proxies that other post-processors have created. */
final class AdvisorChain {

    private AdvisorChain() {}

    /** Returns whether calls through the bean already acquire the lock, in its proxy or in that of its target. */
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

    /** Adds the lock before the first advisor of a lower precedence, as if all had been sorted together. */
    static void add(Advised advised, Advisor lock) {
        Advisor[] present = advised.getAdvisors();
        int position = 0;
        while (position < present.length && isOutside(present[position], lock)) {
            position++;
        }
        // Without a target, the last interceptor implements the method.
        boolean lastIsTarget = advised.getTargetSource() instanceof EmptyTargetSource && present.length > 0;
        advised.addAdvisor(lastIsTarget ? Math.min(position, present.length - 1) : position, lock);
    }

    /** Creates the exception for a proxy to which no lock can be added. */
    static InvalidLockDefinitionException notExtensible(List<LockedMethod> locked, String reason) {
        return locked.get(0)
                .site()
                .rejection(
                        "the bean already has a proxy that is " + reason + ", so that no lock can be added",
                        "Create that proxy without this setting, or call LockRegistry.execute in the method.");
    }

    private static boolean isOutside(Advisor present, Advisor lock) {
        return AnnotationAwareOrderComparator.INSTANCE.compare(present, lock) <= 0;
    }
}

package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLock;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/** Fails the start of an application that has annotated beans but no store for their locks. */
final class MissingStoreCheck implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beanFactory;

    private final boolean enabled;

    /**
     * Creates the check.
     *
     * @param enabled whether annotated methods need their lock
     */
    MissingStoreCheck(ConfigurableListableBeanFactory beanFactory, boolean enabled) {
        this.beanFactory = beanFactory;
        this.enabled = enabled;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (!this.enabled) {
            return;
        }
        for (String name : this.beanFactory.getBeanDefinitionNames()) {
            Object bean = this.beanFactory.getSingleton(name);
            if (bean != null && isLocked(AopProxyUtils.ultimateTargetClass(bean))) {
                throw MissingLockStoreException.in(
                        this.beanFactory, "Bean '" + name + "' has methods under @DistributedLock.");
            }
        }
    }

    private static boolean isLocked(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
            return false;
        }
        MethodFilter annotated = method -> AnnotatedElementUtils.hasAnnotation(method, DistributedLock.class);
        return AnnotatedElementUtils.hasAnnotation(type, DistributedLock.class)
                || !MethodIntrospector.selectMethods(type, annotated).isEmpty();
    }
}

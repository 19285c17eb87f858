package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/** Beans with annotated methods, for checks at the end of the start. */
final class LockedBeans {

    private LockedBeans() {}

    /** The name of one of those that have been made; null if there is none. */
    static @Nullable String anyIn(ConfigurableListableBeanFactory beanFactory) {
        for (String name : beanFactory.getBeanDefinitionNames()) {
            Object bean = beanFactory.getSingleton(name);
            if (bean != null && isLocked(AopProxyUtils.ultimateTargetClass(bean))) {
                return name;
            }
        }
        return null;
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

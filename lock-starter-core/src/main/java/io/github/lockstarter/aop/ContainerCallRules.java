package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockDefinitionException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Rejects annotations on methods that the container calls when it creates or destroys a bean: lifecycle callbacks are
 * called on the bean itself and not through the proxy, and a {@code @Bean} method runs only once.
 */
final class ContainerCallRules {

    /** By name, because they are optional dependencies. */
    private static final Set<String> CALLBACKS =
            Set.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy");

    private ContainerCallRules() {}

    /** Checks the annotations and the interface of a method. */
    static void check(LockedMethod locked) {
        LockSite site = locked.site();
        if (AnnotatedElementUtils.hasAnnotation(site.method(), Bean.class)) {
            throw site.rejection(
                    "a @Bean method runs only once, and the methods of the bean would run without a lock",
                    "Annotate the methods in the class of the bean. To create the bean under a lock, call"
                            + " LockRegistry.execute in the @Bean method.");
        }
        if (!locked.isClassLevel() && isCallback(site)) {
            throw callback(site);
        }
    }

    /**
     * Checks for methods that the bean definition declares as callbacks. An inferred one may also be called by others.
     */
    static void check(List<LockedMethod> methodsOfBean, ConfigurableListableBeanFactory beans, String beanName) {
        // The definition of a factory bean does not describe its product.
        if (!beans.containsBeanDefinition(beanName) || beans.isFactoryBean(beanName)) {
            return;
        }
        Set<String> callbacks = callbacks(beans.getMergedBeanDefinition(beanName));
        for (LockedMethod locked : methodsOfBean) {
            Method method = locked.site().method();
            if (callbacks.contains(method.getName()) && !locked.isClassLevel() && method.getParameterCount() == 0) {
                throw callback(locked.site());
            }
        }
    }

    private static Set<String> callbacks(BeanDefinition definition) {
        Set<String> names = new HashSet<>();
        if (definition instanceof AbstractBeanDefinition bean) {
            // Definitions that were generated at build time (AOT) include annotated callbacks.
            names.addAll(names(bean.getInitMethodNames()));
            names.addAll(names(bean.getDestroyMethodNames()));
        }
        return names;
    }

    private static List<String> names(String @Nullable [] names) {
        return names != null ? List.of(names) : List.of();
    }

    private static InvalidLockDefinitionException callback(LockSite site) {
        return site.rejection(
                "Spring calls this method on the bean itself and not through its proxy, so that it would run without"
                        + " its lock",
                "Move the work to an ApplicationRunner or a listener of ApplicationReadyEvent, or call"
                        + " LockRegistry.execute in the method.");
    }

    private static boolean isCallback(LockSite site) {
        Method method = site.method();
        for (Annotation annotation : method.getDeclaredAnnotations()) {
            if (CALLBACKS.contains(annotation.annotationType().getName())) {
                return true;
            }
        }
        return is(site, InitializingBean.class, "afterPropertiesSet") || is(site, DisposableBean.class, "destroy");
    }

    private static boolean is(LockSite site, Class<?> type, String name) {
        return type.isAssignableFrom(site.beanClass())
                && site.method().getName().equals(name)
                && site.method().getParameterCount() == 0;
    }
}

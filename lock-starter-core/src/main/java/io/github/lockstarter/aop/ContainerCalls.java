package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.aop.metadata.LockSite;
import io.github.lockstarter.aop.metadata.LockedMethod;
import io.github.lockstarter.aop.metadata.LockedType;
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
 * Methods that the container calls while it makes a bean or gives it up: either not through a proxy, and so without the
 * lock, or with the lock around something else than what the author had in mind.
 */
final class ContainerCalls {

    /** By their names, for they need not be on the class path. */
    private static final Set<String> CALLBACKS =
            Set.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy");

    private ContainerCalls() {}

    static void refuse(LockedMethod locked) {
        LockSite site = locked.site();
        if (AnnotatedElementUtils.hasAnnotation(site.method(), Bean.class)) {
            throw site.refused(
                    "a @Bean method runs once, when the bean is made, and the methods of the bean would go without a lock",
                    "Annotate those methods, in the class of the bean; for a lock around its making, call"
                            + " LockRegistry.execute in the @Bean method.");
        }
        if (!locked.isClassLevel() && isCallback(site)) {
            throw callback(site);
        }
    }

    /** Methods that the definition of the bean names; what the container infers by itself, others may call as well. */
    static void refuse(LockedType type, ConfigurableListableBeanFactory beans, String beanName) {
        // What a factory makes is not what its definition speaks of.
        if (!beans.containsBeanDefinition(beanName) || beans.isFactoryBean(beanName)) {
            return;
        }
        Set<String> callbacks = callbacks(beans.getMergedBeanDefinition(beanName));
        for (LockedMethod locked : type.methods()) {
            Method method = locked.site().method();
            if (callbacks.contains(method.getName()) && !locked.isClassLevel() && method.getParameterCount() == 0) {
                throw callback(locked.site());
            }
        }
    }

    private static Set<String> callbacks(BeanDefinition definition) {
        Set<String> names = new HashSet<>();
        if (definition instanceof AbstractBeanDefinition several) {
            // Definitions that were made at build time have the annotated ones among them.
            names.addAll(names(several.getInitMethodNames()));
            names.addAll(names(several.getDestroyMethodNames()));
        }
        return names;
    }

    private static List<String> names(String @Nullable [] names) {
        return names != null ? List.of(names) : List.of();
    }

    private static InvalidLockDefinitionException callback(LockSite site) {
        return site.refused(
                "Spring calls this method on the bean itself and not through its proxy, so that it would run without"
                        + " the lock",
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

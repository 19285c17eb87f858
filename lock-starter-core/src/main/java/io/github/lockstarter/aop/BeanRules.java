package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockDefinitionException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.CollectionUtils;

/**
 * Rejects beans whose methods would run without their lock because of how the container handles the beans: callbacks of
 * their lifecycle are called on the bean itself and not through the proxy, a {@code @Bean} method runs only once, and a
 * bean that another post-processor needs is created before this library's, which Spring only logs. Thread-safe.
 */
final class BeanRules {

    /** The types are compared by name, because they are optional dependencies. */
    private static final Set<String> CALLBACKS =
            Set.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy");

    private final Set<String> processed = ConcurrentHashMap.newKeySet();

    /** Notes a bean that the post-processor has received. */
    void addProcessed(String beanName) {
        this.processed.add(beanName);
    }

    /** Returns whether calls through the bean already acquire the lock, in its proxy or in the proxy of its target. */
    static boolean isLocked(Object bean) {
        if (!(bean instanceof Advised advised)) {
            return false;
        }
        Object target = AopProxyUtils.getSingletonTarget(bean);
        return Arrays.stream(advised.getAdvisors())
                        .anyMatch(advisor -> advisor.getAdvice() instanceof DistributedLockInterceptor)
                || (target != null && isLocked(target));
    }

    /** Checks all singletons that exist when the application has started. */
    void checkCreation(
            ConfigurableListableBeanFactory beans, BiFunction<Object, String, List<LockedMethod>> methodsOfBean) {
        for (String name : beans.getBeanDefinitionNames()) {
            Object bean = beans.getSingleton(name);
            if (bean != null && !this.processed.contains(name)) {
                List<LockedMethod> methods = methodsOfBean.apply(bean, name);
                if (!methods.isEmpty() && !isLocked(bean) && wasCreated(beans, name)) {
                    throw tooEarly(methods.get(0), name, beans.getDependentBeans(name));
                }
            }
        }
    }

    /**
     * Returns false for an object that was registered in place of the bean, such as a mock. Only a field of the bean
     * definition reveals that; if it cannot be read, the bean counts as registered.
     */
    private static boolean wasCreated(ConfigurableListableBeanFactory beans, String name) {
        BeanDefinition definition = beans.getMergedBeanDefinition(name);
        DirectFieldAccessor fields = new DirectFieldAccessor(definition);
        return fields.isReadableProperty("postProcessed")
                && Boolean.TRUE.equals(fields.getPropertyValue("postProcessed"));
    }

    private static RuntimeException tooEarly(LockedMethod method, String beanName, String[] dependents) {
        String reason = dependents.length > 0 ? ", needed by " + String.join(", ", dependents) : "";
        return method.site.rejection(
                "the bean '" + beanName + "' was created too early for its methods to be locked" + reason,
                "Inject the bean as ObjectProvider or @Lazy into the BeanPostProcessor or BeanFactoryPostProcessor that"
                        + " depends on it, possibly through other beans, and declare @Bean methods of such"
                        + " processors static.");
    }

    /** Checks the annotations and the interface of a method. */
    static void checkCallback(LockedMethod locked) {
        LockSite site = locked.site;
        if (AnnotatedElementUtils.hasAnnotation(site.method(), Bean.class)) {
            throw site.rejection(
                    "a @Bean method runs only once, and the methods of the bean would run without a lock",
                    "Annotate the methods in the class of the bean. To create the bean under a lock, call"
                            + " LockRegistry.execute in the @Bean method.");
        }
        if (!locked.classLevel && isCallback(site)) {
            throw callback(site);
        }
    }

    /**
     * Checks for methods that the bean definition declares as callbacks. An inferred one may also be called by others.
     */
    static void checkDeclaredCallbacks(
            List<LockedMethod> methodsOfBean, ConfigurableListableBeanFactory beans, String beanName) {
        // The definition of a factory bean does not describe its product.
        if (!beans.containsBeanDefinition(beanName) || beans.isFactoryBean(beanName)) {
            return;
        }
        Set<String> callbacks = callbacks(beans.getMergedBeanDefinition(beanName));
        for (LockedMethod locked : methodsOfBean) {
            Method method = locked.site.method();
            if (callbacks.contains(method.getName()) && !locked.classLevel && method.getParameterCount() == 0) {
                throw callback(locked.site);
            }
        }
    }

    private static Set<String> callbacks(BeanDefinition definition) {
        Set<String> names = new HashSet<>();
        if (definition instanceof AbstractBeanDefinition bean) {
            // Definitions that were generated at build time (AOT) include annotated callbacks.
            CollectionUtils.mergeArrayIntoCollection(bean.getInitMethodNames(), names);
            CollectionUtils.mergeArrayIntoCollection(bean.getDestroyMethodNames(), names);
        }
        return names;
    }

    private static InvalidLockDefinitionException callback(LockSite site) {
        return site.rejection(
                "Spring calls this method on the bean itself and not through its proxy, so that it would run without"
                        + " its lock",
                "Move the work to an ApplicationRunner or a listener of ApplicationReadyEvent, or call"
                        + " LockRegistry.execute in the method.");
    }

    private static boolean isCallback(LockSite site) {
        MergedAnnotations annotations = MergedAnnotations.from(site.method());
        return CALLBACKS.stream().anyMatch(annotations::isPresent)
                || is(site, InitializingBean.class, "afterPropertiesSet")
                || is(site, DisposableBean.class, "destroy");
    }

    private static boolean is(LockSite site, Class<?> type, String name) {
        return type.isAssignableFrom(site.beanClass())
                && site.method().getName().equals(name)
                && site.method().getParameterCount() == 0;
    }
}

package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/** Finds beans with annotated methods, for checks at the end of start-up. */
final class LockedBeans {

    private static final List<Class<? extends Annotation>> TYPES =
            List.of(DistributedLock.class, DistributedSemaphore.class);

    private LockedBeans() {}

    /** Returns the name of a created singleton with an annotation that matches, or {@code null} if there is none. */
    static @Nullable String anyIn(ConfigurableListableBeanFactory beanFactory, Predicate<MergedAnnotation<?>> wanted) {
        for (String name : beanFactory.getBeanDefinitionNames()) {
            Object bean = beanFactory.getSingleton(name);
            if (bean != null && isAnnotated(AopProxyUtils.ultimateTargetClass(bean), wanted)) {
                return name;
            }
        }
        return null;
    }

    /** Returns each bean with an annotation that its proxy, if there is one, does not apply, as "name (class)". */
    static List<String> unlockedIn(ConfigurableListableBeanFactory beanFactory) {
        List<String> unlocked = new ArrayList<>();
        for (String name : beanFactory.getBeanDefinitionNames()) {
            Object bean = beanFactory.getSingleton(name);
            Class<?> type = bean == null || bean instanceof FactoryBean<?>
                    ? beanFactory.getType(name, false)
                    : AopProxyUtils.ultimateTargetClass(bean);
            if (type != null
                    && !(bean != null && DistributedLockBeanPostProcessor.isLocked(bean))
                    && !ScopedProxyUtils.isScopedTarget(name)
                    && isAnnotated(type, any -> true)) {
                unlocked.add(name + " (" + ClassUtils.getUserClass(type).getName() + ')');
            }
        }
        return unlocked;
    }

    private static boolean isAnnotated(Class<?> type, Predicate<MergedAnnotation<?>> wanted) {
        if (!AnnotationUtils.isCandidateClass(type, TYPES)) {
            return false;
        }
        MethodFilter annotated = method -> hasAny(method, wanted);
        return hasAny(type, wanted)
                || !MethodIntrospector.selectMethods(type, annotated).isEmpty();
    }

    private static boolean hasAny(AnnotatedElement element, Predicate<MergedAnnotation<?>> wanted) {
        MergedAnnotations annotations = MergedAnnotations.from(
                element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables());
        return TYPES.stream().anyMatch(type -> hasAny(annotations, type, wanted));
    }

    /** Returns whether one of the nearest annotations matches; there are several if the annotation is repeated. */
    private static <A extends Annotation> boolean hasAny(
            MergedAnnotations annotations, Class<A> type, Predicate<MergedAnnotation<?>> wanted) {
        List<MergedAnnotation<A>> all = annotations.stream(type).toList();
        return all.stream()
                .filter(annotation ->
                        annotation.getAggregateIndex() == all.get(0).getAggregateIndex())
                .anyMatch(wanted);
    }
}

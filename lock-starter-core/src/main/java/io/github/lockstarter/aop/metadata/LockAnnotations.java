package io.github.lockstarter.aop.metadata;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedLocks;
import io.github.lockstarter.text.LockLog;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Searches elements and their hierarchies for {@link DistributedLock}, and decides which methods it covers on a class.
 */
public final class LockAnnotations {

    private static final LockLog logger = LockLog.of(LockAnnotations.class);

    /**
     * Whether a type or one of its supertypes carries the annotation anywhere. The result is computed once for each
     * type and JVM, so that beans without locks are rejected quickly.
     */
    private static final ClassValue<Boolean> MENTIONED = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return !type.getName().startsWith("java.") && (isDeclaredIn(type) || isInherited(type));
        }
    };

    /** Whether an annotation type is {@link DistributedLock}, its container, or composed of it. */
    private static final ClassValue<Boolean> IS_LOCK = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type == DistributedLock.class
                    || type == DistributedLocks.class
                    || isPresent(search(type, SearchStrategy.DIRECT));
        }
    };

    private LockAnnotations() {}

    /** Returns whether the type or one of its supertypes carries the annotation, on the type or on any method. */
    static boolean isMentioned(Class<?> type) {
        return MENTIONED.get(type);
    }

    /** Returns the annotations of the element and of the elements that it overrides or extends. */
    public static MergedAnnotations of(AnnotatedElement element) {
        return search(element, SearchStrategy.TYPE_HIERARCHY);
    }

    /** Returns whether {@link DistributedLock} is among them. */
    static boolean isPresent(MergedAnnotations annotations) {
        return annotations.isPresent(DistributedLock.class);
    }

    /** Returns whether the element itself carries the annotation, directly or as a composed annotation. */
    public static boolean isDeclaredOn(AnnotatedElement element) {
        for (Annotation annotation : element.getDeclaredAnnotations()) {
            if (IS_LOCK.get(annotation.annotationType())) {
                return true;
            }
        }
        return false;
    }

    /** Returns the annotations of the method, or those of the interface method that it implements. */
    static MergedAnnotations onMethod(Method specific, Class<?> beanClass) {
        MergedAnnotations annotations = of(specific);
        if (isPresent(annotations)) {
            return annotations;
        }
        // A superclass may implement the method without implementing the interface that declares it.
        for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(beanClass)) {
            for (Method declared : type.getMethods()) {
                if (declared.getName().equals(specific.getName())
                        && mostSpecific(declared, beanClass).equals(specific)
                        && isPresent(of(declared))) {
                    return of(declared);
                }
            }
        }
        return annotations;
    }

    /** Returns the method that a call runs; for a proxy or lambda class, the given method. */
    public static Method mostSpecific(Method method, Class<?> beanClass) {
        return LockSite.isGenerated(beanClass) ? method : AopUtils.getMostSpecificMethod(method, beanClass);
    }

    /** Returns whether an annotation on the class or one of its interfaces applies to the method. */
    static boolean isCoveredByClass(Method specific) {
        return Modifier.isPublic(specific.getModifiers())
                && !Modifier.isStatic(specific.getModifiers())
                && !specific.isSynthetic()
                && !ReflectionUtils.isObjectMethod(specific);
    }

    private static MergedAnnotations search(AnnotatedElement element, SearchStrategy strategy) {
        return MergedAnnotations.from(element, strategy, RepeatableContainers.standardRepeatables());
    }

    private static boolean isDeclaredIn(Class<?> type) {
        try {
            if (isDeclaredOn(type)) {
                return true;
            }
            for (Method method : type.getDeclaredMethods()) {
                if (isDeclaredOn(method)) {
                    return true;
                }
            }
        } catch (LinkageError ex) {
            logger.debug(
                    "Methods of " + type.getName()
                            + " cannot be inspected, because a class to which they refer is missing",
                    ex);
        }
        return false;
    }

    private static boolean isInherited(Class<?> type) {
        Class<?> superclass = type.getSuperclass();
        if (superclass != null && isMentioned(superclass)) {
            return true;
        }
        for (Class<?> parent : type.getInterfaces()) {
            if (isMentioned(parent)) {
                return true;
            }
        }
        return false;
    }
}

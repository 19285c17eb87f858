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

/** Where {@link DistributedLock} is looked for, and which methods a class-level one covers. */
public final class LockAnnotations {

    private static final LockLog logger = LockLog.of(LockAnnotations.class);

    /**
     * Whether a type or one of its supertypes carries the annotation anywhere. Each type is looked at once in the life
     * of the JVM, so that the many beans that have nothing to do with locks cost next to nothing.
     */
    private static final ClassValue<Boolean> MENTIONED = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return !type.getName().startsWith("java.") && (isDeclaredIn(type) || isInherited(type));
        }
    };

    /** Whether annotations of that type are or contain ours; most elements have none of these. */
    private static final ClassValue<Boolean> CARRIES_OURS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type == DistributedLock.class
                    || type == DistributedLocks.class
                    || isPresent(search(type, SearchStrategy.DIRECT));
        }
    };

    private LockAnnotations() {}

    public static boolean isMentioned(Class<?> type) {
        return MENTIONED.get(type);
    }

    /** The annotations that count for the element: its own, and those of what it overrides or extends. */
    public static MergedAnnotations of(AnnotatedElement element) {
        return search(element, SearchStrategy.TYPE_HIERARCHY);
    }

    public static boolean isPresent(MergedAnnotations annotations) {
        return annotations.isPresent(DistributedLock.class);
    }

    public static boolean isDeclaredOn(AnnotatedElement element) {
        for (Annotation annotation : element.getDeclaredAnnotations()) {
            if (CARRIES_OURS.get(annotation.annotationType())) {
                return true;
            }
        }
        return false;
    }

    /** Method-level annotations that a call of the method brings with it; empty if there are none. */
    public static MergedAnnotations onMethod(Method specific, Class<?> beanClass) {
        MergedAnnotations annotations = of(specific);
        if (isPresent(annotations)) {
            return annotations;
        }
        // A superclass may implement the method without knowing the interface through which it is called.
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

    /** The method that will run, as its author wrote it. */
    public static Method mostSpecific(Method method, Class<?> beanClass) {
        return LockSite.isGenerated(beanClass) ? method : AopUtils.getMostSpecificMethod(method, beanClass);
    }

    /** Whether an annotation on the class or one of its interfaces covers the method. */
    public static boolean isCoveredByClass(Method specific) {
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
            logger.debug("Methods of " + type.getName() + " cannot be looked at, a class they need is missing", ex);
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

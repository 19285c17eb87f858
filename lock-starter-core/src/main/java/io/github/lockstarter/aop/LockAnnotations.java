package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.text.LockLog;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Searches elements and their hierarchies for {@link DistributedLock} and {@link DistributedSemaphore}, and decides
 * which methods they cover on a class.
 */
final class LockAnnotations {

    /** The annotations that are searched for. */
    static final List<Class<? extends Annotation>> TYPES = List.of(DistributedLock.class, DistributedSemaphore.class);

    private static final LockLog logger = LockLog.of(LockAnnotations.class);

    /**
     * Whether a type or one of its supertypes carries an annotation anywhere. The result is computed once for each type
     * and JVM, which makes the rejection of beans without locks quick.
     */
    private static final ClassValue<Boolean> MENTIONED = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return !type.getName().startsWith("java.") && (isDeclaredIn(type) || isInherited(type));
        }
    };

    private LockAnnotations() {}

    /** Returns whether the type or one of its supertypes carries an annotation, on the type or on any method. */
    static boolean isMentioned(Class<?> type) {
        return MENTIONED.get(type);
    }

    /** Returns the annotations of the element and of the elements that it overrides or extends. */
    public static MergedAnnotations of(AnnotatedElement element) {
        return search(element, SearchStrategy.TYPE_HIERARCHY);
    }

    /** Returns whether a lock or semaphore is among them. */
    static boolean isPresent(MergedAnnotations annotations) {
        return TYPES.stream().anyMatch(annotations::isPresent);
    }

    /** Returns the type of an annotation that is among them. */
    static Class<? extends Annotation> firstType(MergedAnnotations annotations) {
        return TYPES.stream().filter(annotations::isPresent).findFirst().orElseThrow();
    }

    /** Returns the type of an annotation in the source, which may be composed of the one that is among them. */
    static Class<? extends Annotation> writtenType(MergedAnnotations annotations, Class<? extends Annotation> type) {
        try {
            return annotations.get(type).getRoot().getType();
        } catch (AnnotationConfigurationException ex) {
            // Its attributes contradict each other, which is reported when they are read.
            return type;
        }
    }

    /** Returns whether the element itself carries an annotation, directly or as a composed annotation. */
    public static boolean isDeclaredOn(AnnotatedElement element) {
        // The search creates objects, and most methods of most beans have no annotation.
        return element.getDeclaredAnnotations().length > 0 && isPresent(search(element, SearchStrategy.DIRECT));
    }

    /**
     * Returns the annotations of the method and of the interface methods that it implements, nearest first. The list is
     * empty if no lock or semaphore is among them.
     */
    static List<MergedAnnotations> onMethod(Method specific, Class<?> beanClass) {
        List<MergedAnnotations> found = new ArrayList<>(1);
        addIfPresent(of(specific), found);
        // A superclass may implement the method without implementing the interface that declares it.
        for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(beanClass)) {
            for (Method declared : type.getMethods()) {
                if (declared.getName().equals(specific.getName())
                        && mostSpecific(declared, beanClass).equals(specific)) {
                    addIfPresent(of(declared), found);
                }
            }
        }
        return found;
    }

    private static void addIfPresent(MergedAnnotations annotations, List<MergedAnnotations> found) {
        if (isPresent(annotations)) {
            found.add(annotations);
        }
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
            return isDeclaredOn(type)
                    || Arrays.stream(type.getDeclaredMethods()).anyMatch(LockAnnotations::isDeclaredOn);
        } catch (LinkageError ex) {
            GuardedMethod.rejectIfAnnotated(type, ex, TYPES);
            logger.debug(
                    "Methods of " + type.getName()
                            + " cannot be inspected, because a class to which they refer is missing",
                    ex);
            return false;
        }
    }

    private static boolean isInherited(Class<?> type) {
        Class<?> superclass = type.getSuperclass();
        return (superclass != null && isMentioned(superclass))
                || Arrays.stream(type.getInterfaces()).anyMatch(LockAnnotations::isMentioned);
    }
}

package io.github.lockstarter.aop;

import io.github.lockstarter.named.SettingsByName;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

/**
 * Finds the locked methods of one application: all methods of a bean class, or the method behind a call. Thread-safe.
 */
final class LockedMethodSource implements GuardingBeanPostProcessor.Methods<LockedMethod> {

    private final Map<MethodClassKey, Optional<LockedMethod>> byCall = new ConcurrentHashMap<>();

    private final Map<Class<?>, List<LockedMethod>> byBeanClass = new ConcurrentHashMap<>();

    private final LockSpecReader reader;

    /**
     * Creates the source.
     *
     * @param beanFactory resolves placeholders and bean references; supplies null if there is none, as at build time
     *     (AOT)
     * @param settings settings by name, which override attributes
     */
    public LockedMethodSource(Supplier<@Nullable ConfigurableBeanFactory> beanFactory, SettingsByName settings) {
        this.reader = new LockSpecReader(beanFactory, settings);
    }

    /**
     * Returns the locked method that a call invokes. The result is cached.
     *
     * @param called the method as it was called, which may be declared by an interface
     * @param targetClass the class of the bean, generated or not, or {@code null} if it is unknown
     * @return null if the method takes no lock
     */
    @Override
    public @Nullable LockedMethod find(Method called, @Nullable Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(called, targetClass);
        Optional<LockedMethod> found = this.byCall.get(key);
        if (found == null) {
            found = Optional.ofNullable(lookUp(called, targetClass));
            Optional<LockedMethod> earlier = this.byCall.putIfAbsent(key, found);
            found = earlier != null ? earlier : found;
        }
        return found.orElse(null);
    }

    /**
     * Returns the methods of a bean class that are annotated or covered by an annotation of the class, whether or not
     * they can be called through a proxy. The result is cached; a generated class has the result of the user's class.
     */
    @Override
    public List<LockedMethod> methodsOf(Class<?> targetClass) {
        Class<?> beanClass = ClassUtils.getUserClass(targetClass);
        // computeIfAbsent() is not used, because looking up methods may load classes and run arbitrary code.
        List<LockedMethod> methods = this.byBeanClass.get(beanClass);
        if (methods == null) {
            methods = LockAnnotations.isMentioned(beanClass) ? scan(beanClass) : List.of();
            this.byBeanClass.put(beanClass, methods);
        }
        return methods;
    }

    /**
     * Returns the locked methods of a proxy's target and of those interfaces that its target does not implement: the
     * target of a repository lacks the methods of the repository interface, and a remote client has no target at all.
     *
     * @param targetClass null if the proxy has no target
     */
    @Override
    public List<LockedMethod> methodsOf(@Nullable Class<?> targetClass, Class<?>[] proxiedInterfaces) {
        List<Class<?>> foreign = Arrays.stream(proxiedInterfaces)
                .filter(type -> targetClass == null || !type.isAssignableFrom(targetClass))
                .filter(LockAnnotations::isMentioned)
                .toList();
        List<LockedMethod> own = targetClass != null ? methodsOf(targetClass) : List.of();
        return foreign.isEmpty() ? own : withForeign(own, targetClass, foreign);
    }

    private @Nullable LockedMethod lookUp(Method called, @Nullable Class<?> targetClass) {
        Class<?> beanClass = ClassUtils.getUserClass(targetClass != null ? targetClass : called.getDeclaringClass());
        Method specific = LockAnnotations.mostSpecific(called, beanClass);
        List<MergedAnnotations> annotations = LockAnnotations.onMethod(specific, beanClass);
        boolean classLevel = annotations.isEmpty();
        MergedAnnotations onClass = LockAnnotations.of(beanClass);
        if (LockAnnotations.isPresent(onClass) && LockAnnotations.isCoveredByClass(specific)) {
            annotations.add(onClass);
        }
        return annotations.isEmpty() ? null : create(beanClass, specific, annotations, classLevel);
    }

    private LockedMethod create(
            Class<?> beanClass, Method method, List<MergedAnnotations> annotations, boolean classLevel) {
        Class<? extends Annotation> type = LockAnnotations.firstType(annotations.get(0));
        LockSite site = new LockSite(beanClass, method, type, LockAnnotations.writtenType(annotations.get(0), type));
        return new LockedMethod(site, annotations, classLevel, this.reader);
    }

    private List<LockedMethod> scan(Class<?> beanClass) {
        Map<Method, LockedMethod> found = new LinkedHashMap<>();
        if (!LockSite.isGenerated(beanClass)) {
            for (Class<?> type = beanClass; type != null && type != Object.class; type = type.getSuperclass()) {
                collect(type.getDeclaredMethods(), beanClass, found);
            }
        }
        for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(beanClass)) {
            collect(type.getMethods(), beanClass, found);
            // Private and static methods cannot be locked, but may be annotated.
            collect(type.getDeclaredMethods(), beanClass, found);
        }
        return List.copyOf(found.values());
    }

    private List<LockedMethod> withForeign(
            List<LockedMethod> own, @Nullable Class<?> targetClass, List<Class<?>> foreign) {
        Map<Method, LockedMethod> found = new LinkedHashMap<>();
        own.forEach(locked -> found.put(locked.site.method(), locked));
        for (Class<?> type : foreign) {
            collect(type.getMethods(), targetClass, found);
            MergedAnnotations onInterface = LockAnnotations.of(type);
            if (LockAnnotations.isPresent(onInterface)) {
                for (Method method : type.getMethods()) {
                    LockedMethod present = found.get(method);
                    if (present == null || !present.hasAllTypesOf(onInterface)) {
                        found.put(method, create(type, method, List.of(onInterface), true));
                    }
                }
            }
        }
        return List.copyOf(found.values());
    }

    private void collect(Method[] candidates, @Nullable Class<?> targetClass, Map<Method, LockedMethod> found) {
        for (Method candidate : candidates) {
            boolean inherited = (candidate.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0;
            // Kotlin copies annotations to the static method that contains the code of an open suspend function.
            if (!inherited && (candidate.isSynthetic() || !LockAnnotations.isDeclaredOn(candidate))) {
                continue;
            }
            LockedMethod locked = find(candidate, targetClass);
            if (locked != null) {
                found.putIfAbsent(locked.site.method(), locked);
            }
        }
    }
}

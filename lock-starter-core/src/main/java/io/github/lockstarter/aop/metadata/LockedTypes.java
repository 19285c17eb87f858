package io.github.lockstarter.aop.metadata;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Finds the locked methods of beans. */
public final class LockedTypes {

    private final Map<Class<?>, LockedType> known = new ConcurrentHashMap<>();

    private final LockedMethods methods;

    public LockedTypes(LockedMethods methods) {
        this.methods = methods;
    }

    /** The locked methods of beans of that class; a class generated for a proxy stands for the one behind it. */
    public LockedType of(Class<?> targetClass) {
        Class<?> beanClass = ClassUtils.getUserClass(targetClass);
        // Not computeIfAbsent: looking methods up may load classes, and so run code that nobody here knows.
        LockedType type = this.known.get(beanClass);
        if (type == null) {
            type = LockAnnotations.isMentioned(beanClass) ? scan(beanClass) : new LockedType(beanClass, List.of());
            this.known.put(beanClass, type);
        }
        return type;
    }

    /**
     * The locked methods behind a proxy. Its interfaces may say more than its target: a repository's target lacks the
     * methods of the repository interface, and a remote client has no target at all.
     */
    public LockedType of(@Nullable Class<?> targetClass, Class<?>[] proxiedInterfaces) {
        List<Class<?>> foreign = Arrays.stream(proxiedInterfaces)
                .filter(type -> targetClass == null || !type.isAssignableFrom(targetClass))
                .filter(LockAnnotations::isMentioned)
                .toList();
        LockedType type = of(targetClass != null ? targetClass : Object.class);
        return foreign.isEmpty() ? type : withForeign(type, targetClass, foreign);
    }

    private LockedType scan(Class<?> beanClass) {
        Map<Method, LockedMethod> found = new LinkedHashMap<>();
        if (!LockSite.isGenerated(beanClass)) {
            for (Class<?> type = beanClass; type != null && type != Object.class; type = type.getSuperclass()) {
                collect(type.getDeclaredMethods(), beanClass, found);
            }
        }
        for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(beanClass)) {
            collect(type.getMethods(), beanClass, found);
            // Private and static methods cannot be locked, but may ask for it.
            collect(type.getDeclaredMethods(), beanClass, found);
        }
        return new LockedType(beanClass, List.copyOf(found.values()));
    }

    private LockedType withForeign(LockedType own, @Nullable Class<?> targetClass, List<Class<?>> foreign) {
        Map<Method, LockedMethod> found = new LinkedHashMap<>();
        own.methods().forEach(locked -> found.put(locked.site().method(), locked));
        for (Class<?> type : foreign) {
            collect(type.getMethods(), targetClass, found);
            if (LockAnnotations.isPresent(LockAnnotations.of(type))) {
                for (Method method : type.getMethods()) {
                    found.putIfAbsent(method, this.methods.ofInterface(type, method));
                }
            }
        }
        return new LockedType(own.beanClass(), List.copyOf(found.values()));
    }

    private void collect(Method[] candidates, @Nullable Class<?> targetClass, Map<Method, LockedMethod> found) {
        for (Method candidate : candidates) {
            boolean inherited = (candidate.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0;
            if (!inherited && !LockAnnotations.isDeclaredOn(candidate)) {
                continue;
            }
            LockedMethod locked = this.methods.find(candidate, targetClass);
            if (locked != null) {
                found.putIfAbsent(locked.site().method(), locked);
            }
        }
    }
}

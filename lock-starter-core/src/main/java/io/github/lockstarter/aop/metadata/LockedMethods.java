package io.github.lockstarter.aop.metadata;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

/** What is known about methods, looked up once for each method and bean class. */
public final class LockedMethods {

    private final Map<MethodClassKey, Optional<LockedMethod>> known = new ConcurrentHashMap<>();

    private final LockSpecReader reader;

    public LockedMethods(LockSpecReader reader) {
        this.reader = reader;
    }

    /**
     * What a call of that method on a bean of that class has to do with locks.
     *
     * @param targetClass class of the bean, generated or not; null: unknown
     * @return null if nothing
     */
    @Nullable
    public LockedMethod find(Method called, @Nullable Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(called, targetClass);
        Optional<LockedMethod> found = this.known.get(key);
        if (found == null) {
            found = Optional.ofNullable(lookUp(called, targetClass));
            Optional<LockedMethod> earlier = this.known.putIfAbsent(key, found);
            found = earlier != null ? earlier : found;
        }
        return found.orElse(null);
    }

    /** A method of an interface that is annotated itself. */
    public LockedMethod ofInterface(Class<?> type, Method method) {
        return new LockedMethod(new LockSite(type, method), LockAnnotations.of(type), true, this.reader);
    }

    private @Nullable LockedMethod lookUp(Method called, @Nullable Class<?> targetClass) {
        Class<?> beanClass = ClassUtils.getUserClass(targetClass != null ? targetClass : called.getDeclaringClass());
        Method specific = LockAnnotations.mostSpecific(called, beanClass);
        LockSite site = new LockSite(beanClass, specific);
        MergedAnnotations onMethod = LockAnnotations.onMethod(specific, beanClass);
        if (LockAnnotations.isPresent(onMethod)) {
            return new LockedMethod(site, onMethod, false, this.reader);
        }
        MergedAnnotations onClass = LockAnnotations.of(beanClass);
        if (LockAnnotations.isPresent(onClass) && LockAnnotations.isCoveredByClass(specific)) {
            return new LockedMethod(site, onClass, true, this.reader);
        }
        return null;
    }
}

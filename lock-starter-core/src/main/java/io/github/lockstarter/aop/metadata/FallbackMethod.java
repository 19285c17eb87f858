package io.github.lockstarter.aop.metadata;

import io.github.lockstarter.LockNotGrantedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/** A method of the same bean that is called without the lock when the lock is not granted. */
final class FallbackMethod implements NotGrantedAction {

    private final Method method;

    /** Whether the last parameter is the LockNotGrantedException. */
    private final boolean takesFailure;

    private FallbackMethod(Method method, boolean takesFailure) {
        this.method = method;
        this.takesFailure = takesFailure;
    }

    /** Finds the method of that name and checks its parameters and return type. */
    static FallbackMethod find(LockSite site, String name) {
        if (site.beanClass().isInterface() || LockSite.isGenerated(site.beanClass())) {
            throw site.rejection(
                    "fallback = \"" + name + "\" requires a class with that method, but the bean has only interfaces",
                    "Remove it and catch LockNotGrantedException.");
        }
        Method found = lookUp(site, name, LockNotGrantedException.class);
        boolean takesFailure = found != null;
        if (found == null) {
            found = lookUp(site, name);
        }
        if (found == null || found.equals(site.method())) {
            throw site.rejection(
                    "fallback = \"" + name + "\" does not match another method of "
                            + site.beanClass().getName() + " with the same parameters",
                    "Add one. It takes the same parameters, optionally followed by a LockNotGrantedException.");
        }
        if (Modifier.isStatic(site.method().getModifiers()) && !Modifier.isStatic(found.getModifiers())) {
            throw site.rejection(
                    "fallback = \"" + name + "\" is an instance method, but the annotated method is static and is"
                            + " called without a bean",
                    "Make the fallback static, or remove it and catch LockNotGrantedException.");
        }
        Class<?> returned = GenericTypeResolver.resolveReturnType(found, site.beanClass());
        if (!site.returnType().isAssignableFrom(returned) && site.returnType() != void.class) {
            throw site.rejection(
                    "fallback = \"" + name + "\" returns "
                            + returned.getSimpleName() + " instead of "
                            + site.returnType().getSimpleName(),
                    "Change its return type to that of the annotated method.");
        }
        ReflectionUtils.makeAccessible(found);
        return new FallbackMethod(found, takesFailure);
    }

    /** Finds a method with the same parameters, as they are declared or with type variables resolved. */
    private static @Nullable Method lookUp(LockSite site, String name, Class<?>... more) {
        Method method = site.method();
        int count = method.getParameterCount();
        Class<?>[] declared = Arrays.copyOf(method.getParameterTypes(), count + more.length);
        System.arraycopy(more, 0, declared, count, more.length);
        Class<?>[] resolved = declared.clone();
        for (int i = 0; i < count; i++) {
            resolved[i] = ResolvableType.forMethodParameter(method, i, site.beanClass())
                    .resolve(declared[i]);
        }
        Method found = ReflectionUtils.findMethod(site.beanClass(), name, declared);
        if (found == null) {
            found = ReflectionUtils.findMethod(site.beanClass(), name, resolved);
        }
        // The bridged method has the more precise types.
        return found != null ? BridgeMethodResolver.findBridgedMethod(found) : null;
    }

    @Override
    public @Nullable Object perform(LockNotGrantedException failure, MethodInvocation invocation) throws Throwable {
        Object[] arguments = invocation.getArguments();
        if (this.takesFailure) {
            arguments = Arrays.copyOf(arguments, arguments.length + 1);
            arguments[arguments.length - 1] = failure;
        }
        try {
            return this.method.invoke(invocation.getThis(), arguments);
        } catch (InvocationTargetException ex) {
            throw ex.getTargetException();
        }
    }
}

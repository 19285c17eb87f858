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

/** A method of the same bean that is called, without the lock, when the lock is not granted. */
final class FallbackMethod implements NotGranted {

    private final Method method;

    /** Whether it wants to know why, as its last parameter. */
    private final boolean asks;

    private FallbackMethod(Method method, boolean asks) {
        this.method = method;
        this.asks = asks;
    }

    /** Finds the method and checks that it can stand in. */
    static FallbackMethod find(LockSite site, String name) {
        if (site.beanClass().isInterface() || LockSite.isGenerated(site.beanClass())) {
            throw site.refused(
                    "fallback = \"" + name + "\" needs a class with that method, and the bean has only interfaces",
                    "Leave it out and catch LockNotGrantedException.");
        }
        Method found = lookUp(site, name, LockNotGrantedException.class);
        boolean asks = found != null;
        if (found == null) {
            found = lookUp(site, name);
        }
        if (found == null || found.equals(site.method())) {
            throw site.refused(
                    "fallback = \"" + name + "\" names no other method of "
                            + site.beanClass().getName() + " with the same parameters",
                    "Add one: it takes the same parameters, and a LockNotGrantedException after them if it likes.");
        }
        if (Modifier.isStatic(site.method().getModifiers()) && !Modifier.isStatic(found.getModifiers())) {
            throw site.refused(
                    "fallback = \"" + name + "\" is an instance method, and calls of a static method have no bean on"
                            + " which it could be called",
                    "Make the fallback static, too, or leave it out and catch LockNotGrantedException.");
        }
        Class<?> returned = GenericTypeResolver.resolveReturnType(found, site.beanClass());
        if (!site.returnType().isAssignableFrom(returned) && site.returnType() != void.class) {
            throw site.refused(
                    "fallback = \"" + name + "\" returns "
                            + returned.getSimpleName() + " and not "
                            + site.returnType().getSimpleName(),
                    "Give it the return type of the method for which it stands in.");
        }
        ReflectionUtils.makeAccessible(found);
        return new FallbackMethod(found, asks);
    }

    /** With the method's parameters as they are declared, or with the type variables of its class filled in. */
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
        // What a bridge leads to says more about its types.
        return found != null ? BridgeMethodResolver.findBridgedMethod(found) : null;
    }

    @Override
    public @Nullable Object answer(LockNotGrantedException failure, MethodInvocation invocation) throws Throwable {
        Object[] arguments = invocation.getArguments();
        if (this.asks) {
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

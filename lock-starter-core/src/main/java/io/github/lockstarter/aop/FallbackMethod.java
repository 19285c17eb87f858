package io.github.lockstarter.aop;

import io.github.lockstarter.LockNotGrantedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
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
        Class<?>[] parameters = site.method().getParameterTypes();
        Class<?>[] asking = Arrays.copyOf(parameters, parameters.length + 1);
        asking[parameters.length] = LockNotGrantedException.class;
        Method found = ReflectionUtils.findMethod(site.beanClass(), name, asking);
        boolean asks = found != null;
        if (found == null) {
            found = ReflectionUtils.findMethod(site.beanClass(), name, parameters);
        }
        if (found == null || found.equals(site.method())) {
            throw site.refused(
                    "fallback = \"" + name + "\" names no other method of "
                            + site.beanClass().getName() + " with the same parameters",
                    "Add one: it takes the same parameters, and a LockNotGrantedException after them if it likes.");
        }
        if (!site.returnType().isAssignableFrom(found.getReturnType()) && site.returnType() != void.class) {
            throw site.refused(
                    "fallback = \"" + name + "\" returns "
                            + found.getReturnType().getSimpleName() + " and not "
                            + site.returnType().getSimpleName(),
                    "Give it the return type of the method for which it stands in.");
        }
        ReflectionUtils.makeAccessible(found);
        return new FallbackMethod(found, asks);
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

package io.github.lockstarter.aop;

import io.github.lockstarter.LockNotGrantedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
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
        boolean suspending = site.isSuspending();
        Method found = find(site, name, suspending, LockNotGrantedException.class);
        boolean takesFailure = found != null;
        if (found == null) {
            found = find(site, name, suspending);
        }
        if (found == null
                && (find(site, name, !suspending, LockNotGrantedException.class) != null
                        || find(site, name, !suspending) != null)) {
            throw site.rejection(
                    "fallback = \"" + name + "\" is " + (suspending ? "not a" : "a")
                            + " suspend function, but the annotated method is " + (suspending ? "one" : "not"),
                    (suspending ? "Add suspend to" : "Remove suspend from") + " the fallback.");
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
        Class<?> returned = site.returnType(found);
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

    /** Finds a method with the same parameters, as they are declared or with type variables resolved, and more. */
    private static @Nullable Method find(LockSite site, String name, boolean suspending, Class<?>... more) {
        Class<?>[] same = KotlinFunctions.parameterTypes(site.method());
        Class<?>[] declared = Arrays.copyOf(same, same.length + more.length);
        System.arraycopy(more, 0, declared, same.length, more.length);
        Class<?>[] resolved = declared.clone();
        for (int i = 0; i < same.length; i++) {
            resolved[i] = ResolvableType.forMethodParameter(site.method(), i, site.beanClass())
                    .resolve(declared[i]);
        }
        for (Method candidate : ReflectionUtils.getAllDeclaredMethods(site.beanClass())) {
            Class<?>[] parameters = KotlinFunctions.parameterTypes(candidate);
            if (KotlinFunctions.name(candidate).equals(name)
                    && KotlinFunctions.isSuspending(candidate) == suspending
                    && (Arrays.equals(parameters, declared) || Arrays.equals(parameters, resolved))) {
                // The bridged method has the more precise types.
                return BridgeMethodResolver.findBridgedMethod(candidate);
            }
        }
        return null;
    }

    @Override
    public @Nullable Object perform(LockNotGrantedException failure, MethodInvocation invocation) throws Throwable {
        Object[] arguments = invocation.getArguments();
        boolean suspending = KotlinFunctions.isSuspending(this.method);
        if (this.takesFailure) {
            int position = arguments.length - (suspending ? 1 : 0);
            Object[] more = Arrays.copyOf(arguments, arguments.length + 1);
            System.arraycopy(arguments, position, more, position + 1, arguments.length - position);
            more[position] = failure;
            arguments = more;
        }
        if (suspending) {
            // As a publisher, like the annotated method.
            return AopUtils.invokeJoinpointUsingReflection(invocation.getThis(), this.method, arguments);
        }
        try {
            return this.method.invoke(invocation.getThis(), arguments);
        } catch (InvocationTargetException ex) {
            throw ex.getTargetException();
        }
    }
}

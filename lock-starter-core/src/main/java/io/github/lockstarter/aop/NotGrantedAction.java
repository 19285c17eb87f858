package io.github.lockstarter.aop;

import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.text.Printable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Reaction to a lock that is not granted: skips the call, or runs its fallback, a method of the same bean, without the
 * lock. If the annotation has neither, the application's {@link LockFailureHandler} decides.
 */
@FunctionalInterface
interface NotGrantedAction {

    /**
     * Performs the action in place of the method.
     *
     * @return the result of the call
     * @throws LockNotGrantedException the failure itself, if the annotation and the application have no reaction to it
     */
    @Nullable
    Object perform(LockNotGrantedException failure, MethodInvocation invocation) throws Throwable;

    /**
     * Reads the action of an annotation.
     *
     * @param beanFactory has the application's handler of locks that are not granted, if there is one; supplies null if
     *     there are no beans
     */
    static NotGrantedAction of(
            LockSite site, MergedAnnotation<?> annotation, Supplier<? extends @Nullable BeanFactory> beanFactory) {
        String fallback = annotation.getString("fallback");
        boolean skip = annotation.getEnum("onNotGranted", OnNotGranted.class) == OnNotGranted.SKIP;
        if (skip && !fallback.isEmpty()) {
            throw site.rejection(
                    "onNotGranted = SKIP and fallback = \"" + fallback + "\" contradict each other",
                    "Remove onNotGranted or fallback.");
        }
        if (skip) {
            return skip(site);
        }
        return fallback.isEmpty() ? handler(site, beanFactory) : fallback(site, fallback);
    }

    private static NotGrantedAction handler(LockSite site, Supplier<? extends @Nullable BeanFactory> beanFactory) {
        return (failure, invocation) -> {
            BeanFactory beans = beanFactory.get();
            LockFailureHandler handler = beans != null
                    ? beans.getBeanProvider(LockFailureHandler.class).getIfUnique()
                    : null;
            if (handler == null) {
                throw failure;
            }
            Object result = handler.notGranted(failure, site.method(), invocation.getArguments());
            return fitting(result, site, handler, failure);
        };
    }

    /**
     * A wrong type would otherwise fail in the caller, with a ClassCastException that does not name the handler.
     *
     * @throws IllegalStateException if the result does not fit the method
     */
    @SuppressWarnings("FutureReturnValueIgnored") // returned to the caller
    private static @Nullable Object fitting(
            @Nullable Object result, LockSite site, LockFailureHandler handler, LockNotGrantedException failure) {
        Class<?> returned = site.returnType();
        if (returned == void.class) {
            return null;
        }
        ResultKind kind = ResultKind.of(site);
        boolean suspendsForValue = site.isSuspending() && !site.returnsFlow();
        if (kind == ResultKind.REACTIVE && !suspendsForValue) {
            // Any value can be emitted, and null is an empty publisher.
            return result;
        }
        if (result == null && kind == ResultKind.FUTURE) {
            return CompletableFuture.completedFuture(null);
        }
        if (!ClassUtils.isAssignableValue(returned, result)) {
            throw new IllegalStateException(
                    Printable.of("The LockFailureHandler " + handler.getClass().getName() + " returned "
                            + (result != null ? "a " + result.getClass().getName() : "null") + " for " + site
                            + ", which returns " + returned.getName()
                            + ". Return that type, or throw the LockNotGrantedException."),
                    failure);
        }
        return result;
    }

    /**
     * Methods that return a primitive value are rejected, because a default such as 0 or false could not be
     * distinguished from a result.
     */
    private static NotGrantedAction skip(LockSite site) {
        Class<?> returned = site.returnType();
        boolean direct = site.isSuspending() ? !site.returnsFlow() : ResultKind.of(site) == ResultKind.DIRECT;
        boolean isNull = ResultKind.skipped(returned) == null;
        boolean neverNull =
                returned.isPrimitive() || (direct && isNull && KotlinFunctions.returnsNonNull(site.method()));
        if (neverNull && returned != void.class) {
            throw site.rejection(
                    "onNotGranted = SKIP, but the method returns " + returned.getSimpleName()
                            + ", which cannot be null and so has no value for a skipped call",
                    "Return the wrapper class, an Optional or, in Kotlin, " + returned.getSimpleName()
                            + "?, or use fallback.");
        }
        return (failure, invocation) -> ResultKind.skipped(returned);
    }

    private static NotGrantedAction fallback(LockSite site, String name) {
        Method withFailure = find(site, name, LockNotGrantedException.class);
        Method found = withFailure != null ? withFailure : find(site, name);
        boolean suspending = site.isSuspending();
        if (found == null
                || found.equals(site.method())
                || (Modifier.isStatic(site.method().getModifiers()) && !Modifier.isStatic(found.getModifiers()))) {
            throw site.rejection(
                    "fallback = \"" + name + "\" does not match another method of "
                            + site.beanClass().getName() + " with the same parameters",
                    "Add a method with that name. It takes the same parameters, optionally followed by a LockNotGrantedException, is"
                            + " static if the annotated method is, and a suspend function if and only if that is one. A"
                            + " bean without a class of its own cannot have a fallback: catch LockNotGrantedException.");
        }
        Class<?> returned = site.returnType(found);
        if (!site.returnType().isAssignableFrom(returned) && site.returnType() != void.class) {
            throw site.rejection(
                    "fallback = \"" + name + "\" returns "
                            + returned.getSimpleName() + " instead of "
                            + site.returnType().getSimpleName(),
                    "Change the return type of " + name + " to that of the annotated method.");
        }
        ReflectionUtils.makeAccessible(found);
        return (failure, invocation) -> {
            Object[] arguments = invocation.getArguments();
            if (withFailure != null) {
                int position = arguments.length - (suspending ? 1 : 0);
                Object[] more = Arrays.copyOf(arguments, arguments.length + 1);
                System.arraycopy(arguments, position, more, position + 1, arguments.length - position);
                more[position] = failure;
                arguments = more;
            }
            if (suspending) {
                // The method is invoked as a publisher, like the annotated method.
                return AopUtils.invokeJoinpointUsingReflection(invocation.getThis(), found, arguments);
            }
            try {
                return found.invoke(invocation.getThis(), arguments);
            } catch (InvocationTargetException ex) {
                throw ex.getTargetException();
            }
        };
    }

    /** Finds a method with the same parameters, as they are declared or with type variables resolved, and more. */
    private static @Nullable Method find(LockSite site, String name, Class<?>... more) {
        if (site.beanClass().isInterface() || LockSite.isGenerated(site.beanClass())) {
            return null;
        }
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
                    && KotlinFunctions.isSuspending(candidate) == site.isSuspending()
                    && (Arrays.equals(parameters, declared) || Arrays.equals(parameters, resolved))) {
                // The bridged method has the more precise types.
                return BridgeMethodResolver.findBridgedMethod(candidate);
            }
        }
        return null;
    }
}

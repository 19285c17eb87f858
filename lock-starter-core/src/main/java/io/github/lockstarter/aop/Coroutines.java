package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.text.Printable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;

/**
 * Kotlin's coroutines, called by reflection because they are not a dependency of this library. It is initialized at the
 * first call of a method that uses them; the start of the application has checked that they are present.
 *
 * <p>The body of a call runs in the coroutine context of the caller, with the lease as {@link LeaseContext#current} in
 * whichever thread it is resumed. A context never contains the caller's job, because Reactor's bridge rejects it.
 */
final class Coroutines {

    private static final ClassLoader LOADER = Coroutines.class.getClassLoader();

    private static final Class<?> CONTINUATION = type("kotlin.coroutines.Continuation");

    private static final Class<?> CONTEXT = type("kotlin.coroutines.CoroutineContext");

    private static final Class<?> FLOW = type("kotlinx.coroutines.flow.Flow");

    private static final Class<?> OVERFLOW = type("kotlinx.coroutines.channels.BufferOverflow");

    private static final Method GET_CONTEXT = method(CONTINUATION, "getContext");

    private static final Method RESUME = method(CONTINUATION, "resumeWith", Object.class);

    private static final Method PLUS = method(CONTEXT, "plus", CONTEXT);

    private static final Method MINUS_KEY = method(CONTEXT, "minusKey", type("kotlin.coroutines.CoroutineContext$Key"));

    private static final Method AS_ELEMENT = method(
            type("kotlinx.coroutines.ThreadContextElementKt"), "asContextElement", ThreadLocal.class, Object.class);

    private static final Method COLLECT =
            method(FLOW, "collect", type("kotlinx.coroutines.flow.FlowCollector"), CONTINUATION);

    private static final Method AS_FLUX =
            method(type("kotlinx.coroutines.reactor.ReactorFlowKt"), "asFlux", FLOW, CONTEXT);

    private static final Method AS_FLOW =
            method(type("kotlinx.coroutines.reactive.ReactiveFlowKt"), "asFlow", Publisher.class);

    private static final Method BUFFER =
            method(type("kotlinx.coroutines.flow.FlowKt"), "buffer", FLOW, int.class, OVERFLOW);

    private static final Method FAILURE = method(type("kotlin.ResultKt"), "createFailure", Throwable.class);

    private static final Object JOB = constant("kotlinx.coroutines.Job", "Key");

    private static final Object SUSPEND = constant("kotlinx.coroutines.channels.BufferOverflow", "SUSPEND");

    private Coroutines() {}

    /**
     * Returns the arguments of a suspend function, with a continuation in whose context the lease is the current one.
     */
    static @Nullable Object[] withLease(@Nullable Object[] arguments, Lease lease) {
        Object[] changed = arguments.clone();
        Object continuation = changed[changed.length - 1];
        Object context = withLease(call(GET_CONTEXT, continuation), lease);
        changed[changed.length - 1] = implement(
                CONTINUATION,
                (proxy, method, args) -> method.equals(GET_CONTEXT) ? context : call(method, continuation, args));
        return changed;
    }

    /** Returns the context with the lease as the current one. */
    static Object withLease(Object context, Lease lease) {
        return call(PLUS, context, call(AS_ELEMENT, null, LeaseContext.threadLocal(), lease));
    }

    /** Returns whether the value is a Flow. */
    static boolean isFlow(Object value) {
        return FLOW.isInstance(value);
    }

    /** Returns a publisher that collects the Flow in the context. */
    @SuppressWarnings("unchecked")
    static Flux<Object> asFlux(Object flow, Object context) {
        return (Flux<Object>) call(AS_FLUX, null, flow, context);
    }

    /**
     * Returns a Flow that subscribes at each collection.
     *
     * @param publisher creates the publisher for the context of a collector
     */
    static Object flow(Function<Object, Publisher<Object>> publisher) {
        return implement(FLOW, (proxy, method, args) -> {
            if (!method.equals(COLLECT)) {
                throw new UnsupportedOperationException(method.toString());
            }
            Object continuation = args[1];
            Object context = call(MINUS_KEY, call(GET_CONTEXT, continuation), JOB);
            // Without a buffer, the body proceeds, and the lock is released, only when the collector has processed a
            // value.
            Object flow = call(BUFFER, null, call(AS_FLOW, null, publisher.apply(context)), 0, SUSPEND);
            return collect(flow, args[0], continuation);
        });
    }

    /**
     * A proxy cannot throw the checked exceptions of a body, which Kotlin does not declare: the collector resumes with
     * it.
     */
    private static @Nullable Object collect(Object flow, Object collector, Object continuation) throws Throwable {
        try {
            return COLLECT.invoke(flow, collector, continuation);
        } catch (InvocationTargetException ex) {
            Throwable failure = ex.getTargetException();
            if (failure instanceof RuntimeException || failure instanceof Error) {
                throw failure;
            }
            call(RESUME, continuation, call(FAILURE, null, failure));
            return Suspended.MARKER;
        }
    }

    /** Separate, because it is needed rarely. */
    private static final class Suspended {

        static final Object MARKER =
                call(method(type("kotlin.coroutines.intrinsics.IntrinsicsKt"), "getCOROUTINE_SUSPENDED"), null);
    }

    private static Object implement(Class<?> type, InvocationHandler behaviour) {
        return Proxy.newProxyInstance(LOADER, new Class<?>[] {type}, (proxy, method, args) -> {
            if (method.getDeclaringClass() != Object.class) {
                return behaviour.invoke(proxy, method, args);
            }
            return switch (method.getName()) {
                case "equals" -> proxy == args[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "Locked " + type.getSimpleName();
            };
        });
    }

    private static Object call(Method method, @Nullable Object target, @Nullable Object... args) {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException ex) {
            throw sneaky(ex.getTargetException());
        } catch (IllegalAccessException ex) {
            throw new IllegalStateException(Printable.of("Failed to call " + method), ex);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> RuntimeException sneaky(Throwable failure) throws E {
        throw (E) failure;
    }

    private static Class<?> type(String name) {
        return ClassUtils.resolveClassName(name, LOADER);
    }

    private static Method method(Class<?> type, String name, Class<?>... parameters) {
        return ClassUtils.getMethod(type, name, parameters);
    }

    private static Object constant(String type, String name) {
        try {
            return type(type).getField(name).get(null);
        } catch (ReflectiveOperationException ex) {
            throw new IllegalStateException(
                    Printable.of("Unknown version of Kotlin's coroutines: " + type + "." + name), ex);
        }
    }
}

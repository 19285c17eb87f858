package io.github.lockstarter.key;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * Types of values that stand for work which is done later: as the result of a method it runs after the release, and as
 * a key it has no text. They are recognized by their names, because most of them belong to optional dependencies.
 */
public final class DeferredTypes {

    /** Work that another thread does, or the framework that receives the value. */
    private static final Set<String> PENDING = Set.of(
            "java.util.concurrent.Callable",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Future",
            "java.util.concurrent.Flow$Publisher",
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.Job",
            "kotlinx.coroutines.flow.Flow",
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.smallrye.mutiny.Uni",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** Work that is done when the caller asks for a value. */
    private static final Set<String> LAZY = Set.of(
            "java.util.Enumeration",
            "java.util.Iterator",
            "java.util.Spliterator",
            "java.util.function.BooleanSupplier",
            "java.util.function.DoubleSupplier",
            "java.util.function.IntSupplier",
            "java.util.function.LongSupplier",
            "java.util.function.Supplier",
            "java.util.stream.BaseStream",
            "jakarta.inject.Provider",
            "kotlin.Lazy",
            "kotlin.sequences.Sequence",
            "org.springframework.beans.factory.ObjectFactory");

    private static final Set<String> HTTP_ENTITY = Set.of("org.springframework.http.HttpEntity");

    /** Results whose caller gets what they contain. */
    private static final Set<String> CARRIERS = Set.of(
            "org.springframework.http.HttpEntity",
            "java.lang.Iterable",
            "java.util.Optional",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Future",
            "reactor.core.publisher.Mono");

    /** A supplier of streams that has all of its elements, such as a page. */
    private static final String STREAMABLE = "org.springframework.data.util.Streamable";

    /** A limit, because a type variable may be bounded by itself. */
    private static final int MAX_DEPTH = 6;

    /** Whether a result may be unfinished, computed once for each type: most results are not. */
    private static final ClassValue<Boolean> MAY_BE_UNFINISHED = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return isPending(type) || is(type, HTTP_ENTITY);
        }
    };

    private DeferredTypes() {}

    /** Returns whether the work of such a value goes on, or only begins, after a method has returned it. */
    public static boolean isPending(Class<?> type) {
        return is(type, PENDING);
    }

    /**
     * Returns whether such a value computes what it stands for when it is read; records and enums have their values.
     */
    public static boolean isLazy(Class<?> type) {
        return !type.isRecord() && !Enum.class.isAssignableFrom(type) && is(type, LAZY);
    }

    /**
     * Returns the type of deferred work that a result contains, by its type arguments or as an array, or {@code null}
     * if there is none.
     *
     * @param received whether to return only pending work that the receiver of the result certainly gets
     */
    public static @Nullable Class<?> within(ResolvableType result, boolean received) {
        return within(result, received, MAX_DEPTH);
    }

    private static @Nullable Class<?> within(ResolvableType type, boolean received, int depth) {
        boolean isCarrier = is(type.resolve(Object.class), CARRIERS);
        boolean carries = type.isArray() || !received || isCarrier;
        ResolvableType[] parts;
        if (type.isArray()) {
            parts = new ResolvableType[] {type.getComponentType()};
        } else if (isCarrier && !type.hasGenerics()) {
            // A subclass of a carrier, such as a list of certain elements.
            parts = Stream.concat(Stream.of(type.getSuperType()), Arrays.stream(type.getInterfaces()))
                    .toArray(ResolvableType[]::new);
        } else {
            parts = type.getGenerics();
        }
        for (int i = 0; carries && depth > 0 && i < parts.length; i++) {
            Class<?> part = parts[i].resolve(Object.class);
            boolean isDeferred = isPending(part) || (!received && isLazy(part));
            Class<?> found = isDeferred ? part : within(parts[i], received, depth - 1);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Returns whether the result of a call is work that has not ended, or an HTTP entity with such a body. */
    public static boolean isUnfinished(@Nullable Object result) {
        if (result == null || !MAY_BE_UNFINISHED.get(result.getClass())) {
            return false;
        }
        Method body =
                is(result.getClass(), HTTP_ENTITY) ? ReflectionUtils.findMethod(result.getClass(), "getBody") : null;
        return body != null
                ? isUnfinished(ReflectionUtils.invokeMethod(body, result))
                : !(result instanceof Future<?> future && future.isDone());
    }

    private static boolean is(@Nullable Class<?> type, Set<String> names) {
        if (type == null || type.getName().equals(STREAMABLE)) {
            return false;
        }
        return names.contains(type.getName())
                || is(type.getSuperclass(), names)
                || Arrays.stream(type.getInterfaces()).anyMatch(parent -> is(parent, names));
    }
}

package io.github.lockstarter.aop;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Recognizes methods that return before their work is complete: a lock around the call would end too early. */
final class DeferredResults {

    /** By name, because most of them are optional dependencies. */
    private static final Set<String> TYPES = Set.of(
            "java.util.concurrent.Callable",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Future",
            "java.util.concurrent.Flow$Publisher",
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.Job",
            "kotlinx.coroutines.flow.Flow", // other than Flow itself, such as a StateFlow
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.smallrye.mutiny.Uni",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private DeferredResults() {}

    /** Returns how the method defers its result, as a text for messages; null if it returns the result itself. */
    static @Nullable String of(LockSite site) {
        Class<?> returned = site.returnType();
        if (!isDeferred(returned)) {
            return null;
        }
        return (site.isSuspending() ? "is a suspend function that returns a " : "returns a ")
                + returned.getSimpleName();
    }

    private static boolean isDeferred(@Nullable Class<?> type) {
        if (type == null) {
            return false;
        }
        if (TYPES.contains(type.getName()) || isDeferred(type.getSuperclass())) {
            return true;
        }
        for (Class<?> parent : type.getInterfaces()) {
            if (isDeferred(parent)) {
                return true;
            }
        }
        return false;
    }
}

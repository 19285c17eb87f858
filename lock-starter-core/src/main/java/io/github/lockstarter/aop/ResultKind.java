package io.github.lockstarter.aop;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Determines when the work of a method is complete and its lock can be released. */
enum ResultKind {
    /** The work is complete when the method returns. */
    DIRECT,
    /** The work is complete when the returned future is. */
    FUTURE,
    /** The work runs for each subscription to the returned publisher until that terminates or is cancelled. */
    REACTIVE,
    /** The completion of the work cannot be observed: the method returns before, and a lock around it would end too early. */
    UNKNOWN;

    private static final Set<String> FUTURES =
            Set.of("java.util.concurrent.CompletionStage", "java.util.concurrent.CompletableFuture");

    private static final Set<String> PUBLISHERS = Set.of("reactor.core.publisher.Mono", "reactor.core.publisher.Flux");

    /** Types of results that are not complete, by name, because most of them are optional dependencies. */
    private static final Set<String> DEFERRED = Set.of(
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

    /** Returns the kind for the return type of the method. */
    static ResultKind of(LockSite site) {
        Class<?> returned = site.returnType();
        if (site.returnsFlow()) {
            return REACTIVE;
        }
        // Spring's proxies turn a suspend function into a publisher.
        if (!site.isSuspending() && FUTURES.contains(returned.getName())) {
            return FUTURE;
        }
        if (!site.isSuspending() && PUBLISHERS.contains(returned.getName())) {
            return REACTIVE;
        }
        return isDeferred(returned) ? UNKNOWN : site.isSuspending() ? REACTIVE : DIRECT;
    }

    private static boolean isDeferred(@Nullable Class<?> type) {
        if (type == null) {
            return false;
        }
        if (DEFERRED.contains(type.getName()) || isDeferred(type.getSuperclass())) {
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

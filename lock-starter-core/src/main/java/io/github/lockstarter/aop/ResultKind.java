package io.github.lockstarter.aop;

import org.jspecify.annotations.Nullable;

/** Determines when the work of a method is complete and its lock can be released. */
enum ResultKind {

    /** The work is complete when the method returns. */
    DIRECT,

    /** The work is complete when the returned future is. */
    FUTURE,

    /** The work runs for each subscription to the returned publisher until that terminates or is cancelled. */
    REACTIVE,

    /** The completion of the work cannot be observed. */
    UNKNOWN;

    /** Returns the kind for the return type of the method. */
    static ResultKind of(LockSite site) {
        Class<?> returned = site.returnType();
        if (KotlinFunctions.isFlow(returned)) {
            return REACTIVE;
        }
        if (site.isSuspending()) {
            // Spring's proxies turn the function into a publisher.
            return DeferredResults.of(site) != null ? UNKNOWN : REACTIVE;
        }
        String supported = returned.getName();
        if (supported.equals("java.util.concurrent.CompletionStage")
                || supported.equals("java.util.concurrent.CompletableFuture")) {
            return FUTURE;
        }
        if (supported.equals("reactor.core.publisher.Mono") || supported.equals("reactor.core.publisher.Flux")) {
            return REACTIVE;
        }
        @Nullable String deferred = DeferredResults.of(site);
        return deferred != null ? UNKNOWN : DIRECT;
    }
}

package io.github.lockstarter.aop;

import io.github.lockstarter.key.DeferredTypes;
import java.util.Set;

/** Determines when the work of a method is complete and its lock can be released. */
enum ResultKind {
    /** The work is complete when the method returns. */
    DIRECT,
    /** The work is complete when the returned future is. */
    FUTURE,
    /** The work runs for each subscription to the returned publisher until that terminates or is cancelled. */
    REACTIVE,
    /**
     * The completion of the work cannot be observed: the method returns before, and a lock around it would end too
     * early.
     */
    UNKNOWN;

    private static final Set<String> FUTURES =
            Set.of("java.util.concurrent.CompletionStage", "java.util.concurrent.CompletableFuture");

    private static final Set<String> PUBLISHERS = Set.of("reactor.core.publisher.Mono", "reactor.core.publisher.Flux");

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
        return DeferredTypes.isPending(returned) ? UNKNOWN : site.isSuspending() ? REACTIVE : DIRECT;
    }
}

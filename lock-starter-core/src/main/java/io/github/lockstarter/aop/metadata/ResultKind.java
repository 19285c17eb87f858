package io.github.lockstarter.aop.metadata;

import org.jspecify.annotations.Nullable;

/** When the work of a method is done, and so its lock may end. */
public enum ResultKind {

    /** When it returns. */
    DIRECT,

    /** When the future that it returns is complete. */
    FUTURE,

    /** When the publisher that it returns has ended, each time that it is subscribed to. */
    REACTIVE,

    /** At a time that nobody here can know. */
    UNKNOWN;

    public static ResultKind of(LockSite site) {
        Class<?> returned = site.returnType();
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

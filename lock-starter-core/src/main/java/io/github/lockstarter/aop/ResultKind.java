package io.github.lockstarter.aop;

import io.github.lockstarter.key.DeferredTypes;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Determines when the work of a method is complete and its lock can be released. */
public enum ResultKind {
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

    private static final Set<String> PUBLISHERS = Set.of("reactor.core.publisher.Mono", "reactor.core.publisher.Flux");

    /** The results of skipped calls; null for other types. */
    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
    private static final Map<Class<?>, Supplier<Object>> EMPTY = Map.of(
            Optional.class, Optional::empty,
            OptionalInt.class, OptionalInt::empty,
            OptionalLong.class, OptionalLong::empty,
            OptionalDouble.class, OptionalDouble::empty,
            CompletableFuture.class, () -> CompletableFuture.completedFuture(null),
            CompletionStage.class, () -> CompletableFuture.completedFuture(null));

    /** Returns the result of a skipped call of a method with this return type, which is not primitive. */
    public static @Nullable Object skipped(Class<?> returned) {
        Supplier<Object> empty = EMPTY.get(returned);
        return empty != null ? empty.get() : null;
    }

    /** Returns the kind for the return type of the method. */
    static ResultKind of(LockSite site) {
        Class<?> returned = site.returnType();
        if (site.returnsFlow()) {
            return REACTIVE;
        }
        if (site.isSuspending()) {
            // Spring's proxies turn the function into a publisher.
            return DeferredTypes.isPending(returned) ? UNKNOWN : REACTIVE;
        }
        if (returned == CompletionStage.class || returned == CompletableFuture.class) {
            return FUTURE;
        }
        return PUBLISHERS.contains(returned.getName())
                ? REACTIVE
                : DeferredTypes.isPending(returned) ? UNKNOWN : DIRECT;
    }
}

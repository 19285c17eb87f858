package io.github.lockstarter.aop;

import io.github.lockstarter.LockNotGrantedException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Reaction to a lock that is not granted: skips the call or runs its fallback. */
@FunctionalInterface
interface NotGrantedAction {

    /** The results of skipped calls; null for other types. */
    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
    Map<Class<?>, Supplier<Object>> EMPTY = Map.of(
            Optional.class, Optional::empty,
            OptionalInt.class, OptionalInt::empty,
            OptionalLong.class, OptionalLong::empty,
            OptionalDouble.class, OptionalDouble::empty,
            CompletableFuture.class, () -> CompletableFuture.completedFuture(null),
            CompletionStage.class, () -> CompletableFuture.completedFuture(null));

    /**
     * Performs the action in place of the method.
     *
     * @return the result of the call
     */
    @Nullable
    Object perform(LockNotGrantedException failure, MethodInvocation invocation) throws Throwable;

    /**
     * Returns the action that skips calls of a method. Methods that return a primitive value are rejected, because a
     * default such as 0 or false could not be distinguished from a result.
     */
    static NotGrantedAction skip(LockSite site) {
        Class<?> returned = site.returnType();
        if (returned.isPrimitive() && returned != void.class) {
            throw site.rejection(
                    "onNotGranted = SKIP, but the method returns " + returned
                            + ", which has no value for a skipped call",
                    "Return the wrapper class or an Optional, or use fallback.");
        }
        boolean direct = site.isSuspending() ? !site.returnsFlow() : ResultKind.of(site) == ResultKind.DIRECT;
        Supplier<Object> empty = EMPTY.get(returned);
        if (direct && returned != void.class && empty == null && KotlinFunctions.returnsNonNull(site.method())) {
            throw site.rejection(
                    "onNotGranted = SKIP, but the function returns a " + returned.getSimpleName()
                            + " that cannot be null, which has no value for a skipped call",
                    "Return " + returned.getSimpleName() + "?, or use fallback.");
        }
        return (failure, invocation) -> empty != null ? empty.get() : null;
    }
}

package io.github.lockstarter.aop;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The result of a call that is skipped because its lock was not granted ({@code onNotGranted = SKIP}). */
final class EmptyResult {

    private static final Map<Class<?>, Supplier<Object>> EMPTY = Map.of(
            Optional.class, Optional::empty,
            OptionalInt.class, OptionalInt::empty,
            OptionalLong.class, OptionalLong::empty,
            OptionalDouble.class, OptionalDouble::empty);

    private EmptyResult() {}

    /**
     * Returns the action that skips calls of a method. Methods that return a primitive value are rejected, because a
     * default such as 0 or false could not be distinguished from a result.
     */
    static NotGrantedAction of(LockSite site) {
        Class<?> returned = site.returnType();
        if (returned.isPrimitive() && returned != void.class) {
            throw site.rejection(
                    "onNotGranted = SKIP, but the method returns " + returned
                            + ", which has no value for a skipped call",
                    "Return the wrapper class or an Optional, or use fallback.");
        }
        boolean direct = site.isSuspending() ? !site.returnsFlow() : ResultKind.of(site) == ResultKind.DIRECT;
        boolean hasEmptyValue = returned == void.class || EMPTY.containsKey(returned) || !direct;
        if (!hasEmptyValue && KotlinFunctions.returnsNonNull(site.method())) {
            throw site.rejection(
                    "onNotGranted = SKIP, but the function returns a " + returned.getSimpleName()
                            + " that cannot be null, which has no value for a skipped call",
                    "Return " + returned.getSimpleName() + "?, or use fallback.");
        }
        return (failure, invocation) -> of(returned);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
    private static @Nullable Object of(Class<?> returned) {
        if (returned == CompletableFuture.class || returned == CompletionStage.class) {
            return CompletableFuture.completedFuture(null);
        }
        Supplier<Object> empty = EMPTY.get(returned);
        return empty != null ? empty.get() : null;
    }
}

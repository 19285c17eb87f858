package io.github.lockstarter.aop.call;

import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.aop.metadata.LockSite;
import io.github.lockstarter.aop.metadata.ResultKind;
import io.github.lockstarter.text.Printable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** What the application's {@link LockFailureHandler} answers, which serves methods of any type. */
final class HandlerAnswer {

    private HandlerAnswer() {}

    /**
     * The answer as the caller can take it.
     *
     * @throws IllegalStateException if it cannot; a bare ClassCastException in the caller would not say who is to blame
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
    static @Nullable Object checked(
            @Nullable Object answer,
            LockSite site,
            ResultKind kind,
            LockFailureHandler handler,
            LockNotGrantedException failure) {
        Class<?> returned = site.returnType();
        if (returned == void.class) {
            return null;
        }
        if (kind == ResultKind.REACTIVE) {
            // A plain value is emitted, null is the empty publisher.
            return answer;
        }
        if (answer == null && kind == ResultKind.FUTURE) {
            return CompletableFuture.completedFuture(null);
        }
        if (!ClassUtils.isAssignableValue(returned, answer)) {
            String given = answer != null ? "a " + answer.getClass().getName() : "null";
            throw new IllegalStateException(
                    Printable.of("The LockFailureHandler " + handler.getClass().getName() + " answered with " + given
                            + " for " + site + ", which returns " + returned.getName()
                            + ". Answer with that type, or throw the failure."),
                    failure);
        }
        return answer;
    }
}

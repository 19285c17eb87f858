package io.github.lockstarter.key;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * The object {@code #root} of a call. It does not override {@code toString()}, and therefore cannot become a key by
 * accident.
 */
public final class CallRoot {

    private final Method method;

    private final @Nullable Object target;

    CallRoot(Method method, @Nullable Object target) {
        this.method = method;
        this.target = target;
    }

    /** Returns the annotated method. */
    public Method getMethod() {
        return this.method;
    }

    /** Returns the bean on which the method is called; null for a static method. */
    public @Nullable Object getTarget() {
        return this.target;
    }
}

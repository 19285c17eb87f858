package io.github.lockstarter.aop.key;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** What keys and conditions see as {@code #root}. Without a text of its own, so that it cannot become a key by accident. */
public final class KeyRoot {

    private final Method method;

    private final @Nullable Object target;

    public KeyRoot(Method method, @Nullable Object target) {
        this.method = method;
        this.target = target;
    }

    public Method getMethod() {
        return this.method;
    }

    public @Nullable Object getTarget() {
        return this.target;
    }
}

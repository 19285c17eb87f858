package io.github.lockstarter.key;

import io.github.lockstarter.InvalidLockDefinitionException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A method with an expression. */
record TestSite(Class<?> beanClass, Method method) implements ExpressionSite {

    @Override
    public InvalidLockDefinitionException rejection(String problem, String remedy, @Nullable Throwable cause) {
        return new InvalidLockDefinitionException("@DistributedLock on " + this + ": " + problem + ".", remedy, cause);
    }

    @Override
    public String toString() {
        return this.method.getDeclaringClass().getName()
                + '.'
                + this.method.getName()
                + Arrays.stream(this.method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }
}

package io.github.lockstarter.key;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;

/** The variables of an expression: the parameters of the method, by name and by position, and {@code #root}. Immutable. */
final class ExpressionVariables implements ParameterNameDiscoverer {

    /** An instance of our own: the one that Spring shares exists only since Spring Framework 7. */
    private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

    private final @Nullable String @Nullable [] names;

    private final int count;

    /**
     * Creates the variables of a method.
     *
     * @param annotated the element that carries the annotation. If it is an overridden method, the expression uses the
     *     parameter names of that method
     */
    ExpressionVariables(Method method, @Nullable Object annotated) {
        @Nullable String[] found = annotated instanceof Method declared ? DISCOVERER.getParameterNames(declared) : null;
        this.names = found != null ? found : DISCOVERER.getParameterNames(method);
        // The last parameter of a suspend function is not declared by its author.
        this.count = method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
    }

    /** Returns whether there is such a variable: {@code root}, or a parameter. */
    boolean contains(String name) {
        return name.equals("root") || indexOf(name) >= 0;
    }

    /** Returns the index of the parameter of that name or position ({@code a0}, {@code p0}); -1 if there is none. */
    int indexOf(String name) {
        int named = this.names != null ? Arrays.asList(this.names).indexOf(name) : -1;
        if (named >= 0 && named < this.count) {
            return named;
        }
        for (int i = 0; i < this.count; i++) {
            if (name.equals("a" + i) || name.equals("p" + i)) {
                return i;
            }
        }
        return -1;
    }

    /** Returns a sentence for messages that lists all variables. */
    String describe() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < this.count; i++) {
            String name = this.names != null ? this.names[i] : null;
            all.add(name != null ? "#" + name + " (#a" + i + ")" : "#a" + i);
        }
        String known = "Available variables: " + String.join(", ", all) + (all.isEmpty() ? "" : ", ")
                + "#root.method, #root.target.";
        return this.names != null || this.count == 0
                ? known
                : known + " The class has no parameter names; compile it with -parameters.";
    }

    @Override
    public @Nullable String @Nullable [] getParameterNames(Method method) {
        return this.names != null ? Arrays.copyOf(this.names, this.count) : null;
    }

    @Override
    public @Nullable String @Nullable [] getParameterNames(Constructor<?> constructor) {
        return null;
    }
}

package io.github.lockstarter.aop.key;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;

/** The variables of an expression: the parameters of the method, by name and by position. Immutable. */
final class ExpressionVariables implements ParameterNameDiscoverer {

    /** An instance of our own: the one that Spring shares exists only since Spring Framework 7. */
    private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

    private static final Set<String> ROOT_PROPERTIES = Set.of("method", "target");

    private final @Nullable String @Nullable [] names;

    private final int count;

    private ExpressionVariables(@Nullable String @Nullable [] names, int count) {
        this.names = names;
        this.count = count;
    }

    /**
     * Returns the variables of a method.
     *
     * @param annotated the element that carries the annotation. If it is an overridden method, the expression uses the
     *     parameter names of that method
     */
    static ExpressionVariables of(Method method, @Nullable Object annotated) {
        @Nullable String[] names = annotated instanceof Method declared ? DISCOVERER.getParameterNames(declared) : null;
        if (names == null) {
            names = DISCOVERER.getParameterNames(method);
        }
        // The last parameter of a suspend function is not declared by its author.
        int count = method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
        return new ExpressionVariables(
                names != null && names.length > count ? Arrays.copyOf(names, count) : names, count);
    }

    /** Returns whether {@code #root} has a property of that name. */
    static boolean isOfRoot(String name) {
        return ROOT_PROPERTIES.contains(name);
    }

    private boolean hasNames() {
        return this.names != null || this.count == 0;
    }

    /** Returns whether it is the name of a parameter. */
    boolean isParameter(String name) {
        return indexOf(name) >= 0;
    }

    /** Returns whether it is the name or the position ({@code a0}, {@code p0}) of a parameter. */
    boolean contains(String name) {
        return isParameter(name) || position(name) >= 0;
    }

    /** Returns the index of the parameter to which the variable refers; -1 if there is none. */
    int indexOfParameter(String name) {
        return isParameter(name) ? indexOf(name) : position(name);
    }

    /** Returns whether it is the name of one parameter and the position of another. */
    boolean isAmbiguous(String name) {
        return isParameter(name) && position(name) >= 0 && position(name) != indexOf(name);
    }

    /** Returns a sentence for messages that lists all variables. */
    String describe() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < this.count; i++) {
            String name = this.names != null ? this.names[i] : null;
            all.add(name != null ? "#" + name + " (#a" + i + ")" : "#a" + i);
        }
        all.add("#root.method");
        all.add("#root.target");
        String known = "Available variables: " + String.join(", ", all) + ".";
        return hasNames() ? known : known + " The class has no parameter names; compile it with -parameters.";
    }

    @Override
    public @Nullable String @Nullable [] getParameterNames(Method method) {
        return this.names;
    }

    @Override
    public @Nullable String @Nullable [] getParameterNames(Constructor<?> constructor) {
        return null;
    }

    private int indexOf(String name) {
        return this.names != null ? Arrays.asList(this.names).indexOf(name) : -1;
    }

    /** Returns the position that {@code a0} or {@code p0} denotes; -1 for any other name. */
    private int position(String name) {
        for (int i = 0; i < this.count; i++) {
            if (name.equals("a" + i) || name.equals("p" + i)) {
                return i;
            }
        }
        return -1;
    }
}

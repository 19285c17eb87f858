package io.github.lockstarter.aop.key;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/** The variables that a key may use: parameters by name and by position. Looked up once. */
public final class ExpressionVariables implements ParameterNameDiscoverer {

    /** Not the one that Spring shares, which is new in Framework 7. */
    private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

    private static final Set<String> ROOT_PROPERTIES = Set.of("method", "target");

    private final @Nullable String @Nullable [] names;

    private final int count;

    private ExpressionVariables(@Nullable String @Nullable [] names, int count) {
        this.names = names;
        this.count = count;
    }

    /**
     * The variables of a method.
     *
     * @param annotated what carries the annotation: if that is an overridden method, its author wrote the key for its
     *     own parameter names
     */
    public static ExpressionVariables of(Method method, @Nullable Object annotated) {
        @Nullable String[] names = annotated instanceof Method declared ? DISCOVERER.getParameterNames(declared) : null;
        return new ExpressionVariables(
                names != null ? names : DISCOVERER.getParameterNames(method), method.getParameterCount());
    }

    /** Returns whether {@code #root} has a property of that name. */
    public static boolean isOfRoot(String name) {
        return ROOT_PROPERTIES.contains(name);
    }

    public boolean hasNames() {
        return this.names != null || this.count == 0;
    }

    public boolean isParameter(String name) {
        return indexOf(name) >= 0;
    }

    public boolean contains(String name) {
        return isParameter(name) || position(name) >= 0;
    }

    /** Position of the parameter that the variable stands for; -1: it stands for none. */
    public int indexOfParameter(String name) {
        return isParameter(name) ? indexOf(name) : position(name);
    }

    /** Whether it is the name of one parameter and the position of another. */
    public boolean isAmbiguous(String name) {
        return isParameter(name) && position(name) >= 0 && position(name) != indexOf(name);
    }

    /** All of them, for messages. */
    public String describe() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < this.count; i++) {
            String name = this.names != null ? this.names[i] : null;
            all.add(name != null ? "#" + name + " (#a" + i + ")" : "#a" + i);
        }
        all.add("#root.method");
        all.add("#root.target");
        String known = "Known here: " + String.join(", ", all) + ".";
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

    /** Position that {@code a0} or {@code p0} stands for; -1: the name is no such thing. */
    private int position(String name) {
        for (int i = 0; i < this.count; i++) {
            if (name.equals("a" + i) || name.equals("p" + i)) {
                return i;
            }
        }
        return -1;
    }
}

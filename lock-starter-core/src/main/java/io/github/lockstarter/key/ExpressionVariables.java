package io.github.lockstarter.key;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;

/** The variables of an expression: the parameters of the method, by name and by position, and {@code #root}. */
final class ExpressionVariables {

    /** An instance of our own: the one that Spring shares exists only since Spring Framework 7. */
    private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

    /** The indexes of the parameters: each has the names {@code a0}, {@code p0}, and its own if that is known. */
    private final Map<String, Integer> parameters = new HashMap<>();

    /** Those that the expression uses. */
    private final Map<String, Integer> used = new HashMap<>();

    private final String description;

    /**
     * Creates the variables of a method.
     *
     * @param annotated the element that carries the annotation. If it is an overridden method, the expression uses the
     *     parameter names of that method
     */
    ExpressionVariables(Method method, @Nullable Object annotated) {
        @Nullable String[] found = annotated instanceof Method declared ? DISCOVERER.getParameterNames(declared) : null;
        @Nullable String[] names = found != null ? found : DISCOVERER.getParameterNames(method);
        // The last parameter of a suspend function is not declared by its author.
        int count = method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
        StringBuilder known = new StringBuilder("Available variables: ");
        for (int i = 0; i < count; i++) {
            String name = names != null ? names[i] : null;
            this.parameters.put("a" + i, i);
            this.parameters.put("p" + i, i);
            if (name != null) {
                this.parameters.put(name, i);
            }
            known.append(name != null ? '#' + name + " (#a" + i + ')' : "#a" + i)
                    .append(", ");
        }
        known.append("#root.method, #root.target.");
        this.description = names != null || count == 0
                ? known.toString()
                : known + " The class has no parameter names; compile it with -parameters.";
    }

    /** Returns whether there is such a variable, {@code root} or a parameter, which an expression then may use. */
    boolean use(String name) {
        Integer index = this.parameters.get(name);
        if (index != null) {
            this.used.put(name, index);
        }
        return index != null || name.equals("root");
    }

    /** Returns the index of the parameter of that name or position ({@code a0}, {@code p0}); -1 if there is none. */
    int indexOf(String name) {
        return this.parameters.getOrDefault(name, -1);
    }

    /** Sets the variables that the expression uses to the arguments of a call. */
    void setIn(EvaluationContext context, @Nullable Object[] arguments) {
        this.used.forEach((name, index) -> context.setVariable(name, arguments[index]));
    }

    /** Returns a sentence for messages that lists all variables. */
    String describe() {
        return this.description;
    }
}

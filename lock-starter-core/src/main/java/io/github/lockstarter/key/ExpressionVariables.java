package io.github.lockstarter.key;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;

/** The variables of an expression: the parameters of the method, by name and by position, and {@code #root}. Immutable. */
final class ExpressionVariables {

    /** An instance of our own: the one that Spring shares exists only since Spring Framework 7. */
    private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

    /** Of each parameter: {@code a0}, {@code p0}, and the name if it is known. */
    private final List<List<String>> parameters = new ArrayList<>();

    private final boolean named;

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
        for (int i = 0; i < count; i++) {
            String name = names != null ? names[i] : null;
            this.parameters.add(name != null ? List.of("a" + i, "p" + i, name) : List.of("a" + i, "p" + i));
        }
        this.named = names != null || count == 0;
    }

    /** Returns whether there is such a variable: {@code root}, or a parameter. */
    boolean contains(String name) {
        return name.equals("root") || indexOf(name) >= 0;
    }

    /** Returns the index of the parameter of that name or position ({@code a0}, {@code p0}); -1 if there is none. */
    int indexOf(String name) {
        for (int i = this.parameters.size() - 1; i >= 0; i--) {
            if (this.parameters.get(i).contains(name)) {
                return i;
            }
        }
        return -1;
    }

    /** Sets the variables to the arguments of a call. */
    void setIn(EvaluationContext context, @Nullable Object[] arguments) {
        for (int i = 0; i < this.parameters.size(); i++) {
            for (String name : this.parameters.get(i)) {
                context.setVariable(name, arguments[i]);
            }
        }
    }

    /** Returns a sentence for messages that lists all variables. */
    String describe() {
        StringBuilder known = new StringBuilder("Available variables: ");
        for (List<String> names : this.parameters) {
            String position = '#' + names.get(0);
            known.append(names.size() > 2 ? '#' + names.get(2) + " (" + position + ')' : position)
                    .append(", ");
        }
        known.append("#root.method, #root.target.");
        return this.named
                ? known.toString()
                : known + " The class has no parameter names; compile it with -parameters.";
    }
}

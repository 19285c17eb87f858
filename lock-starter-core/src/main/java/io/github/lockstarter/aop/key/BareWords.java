package io.github.lockstarter.aop.key;

import java.util.ArrayList;
import java.util.List;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;

/**
 * The names in an expression that are not prefixed by {@code #}, such as {@code orderId}, and what was probably meant
 * by them. SpEL would read them as properties of {@code #root}.
 */
final class BareWords {

    private final String expression;

    private final ExpressionVariables variables;

    private final List<PropertyOrFieldReference> all = new ArrayList<>();

    private BareWords(String expression, ExpressionVariables variables) {
        this.expression = expression;
        this.variables = variables;
    }

    /** Collects the bare words of a parsed expression. */
    static BareWords in(SpelNode ast, String expression, ExpressionVariables variables) {
        BareWords words = new BareWords(expression, variables);
        words.collect(ast);
        return words;
    }

    private void collect(SpelNode node) {
        if (node instanceof PropertyOrFieldReference word) {
            this.all.add(word);
        }
        // Inside the brackets of selections and projections, names are properties of the elements.
        int end = node instanceof Selection || node instanceof Projection ? 0 : node.getChildCount();
        for (int i = 0; i < end; i++) {
            SpelNode child = node.getChild(i);
            boolean behindDot = node instanceof CompoundExpression && i > 0;
            if (!behindDot || !(child instanceof PropertyOrFieldReference)) {
                collect(child);
            }
        }
    }

    boolean isEmpty() {
        return this.all.isEmpty();
    }

    /**
     * Returns the remedy for one of the words, in whole sentences.
     *
     * @param inKey whether the expression is a key, which can be replaced by a name; a condition cannot
     */
    String remedyFor(PropertyOrFieldReference word, boolean inKey) {
        if (!inKey && word.getName().equals(this.expression.strip())) {
            return prefixOf(word).isEmpty() ? this.variables.describe() : "Did you mean " + corrected() + "?";
        }
        // Quoting the whole key would also turn its variables and lists into text.
        boolean partOfMore = !inKey || this.expression.startsWith("{") || this.expression.matches(".*[#@'\"].*");
        String asText = partOfMore
                ? "quote it: " + quoted(word) + "."
                : "use name = \"" + this.expression + "\", or quote it: \"'" + this.expression + "'\".";
        return prefixOf(word).isEmpty()
                ? "If it is meant as text, " + asText + ' ' + this.variables.describe()
                : "Did you mean " + corrected() + "? If it is meant as text, " + asText;
    }

    private String prefixOf(PropertyOrFieldReference word) {
        String name = word.getName();
        return this.variables.isParameter(name) ? "#" : ExpressionVariables.isOfRoot(name) ? "#root." : "";
    }

    private String quoted(PropertyOrFieldReference word) {
        int start = word.getStartPosition();
        int end = start + word.getName().length();
        return this.expression.substring(0, start) + '\'' + word.getName() + '\'' + this.expression.substring(end);
    }

    /** Returns the expression with all words corrected of which the meaning is known. */
    String corrected() {
        StringBuilder text = new StringBuilder(this.expression);
        this.all.stream()
                .sorted((one, other) -> other.getStartPosition() - one.getStartPosition())
                .forEach(word -> text.insert(word.getStartPosition(), prefixOf(word)));
        return text.toString();
    }
}

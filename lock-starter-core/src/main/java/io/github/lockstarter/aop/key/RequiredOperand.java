package io.github.lockstarter.aop.key;

import java.util.ArrayList;
import java.util.List;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.NullLiteral;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.Ternary;

/**
 * An operand of {@code +} that must not be null. SpEL joins null as the text "null" and calls neither the type
 * converter nor an operator overloader for it. Therefore each operand of a parsed key is wrapped in a node of this
 * class, which evaluates it once and rejects null.
 */
final class RequiredOperand extends SpelNodeImpl {

    /** Whether a method prints the value; {@code +} converts it itself. */
    private final boolean printed;

    private RequiredOperand(SpelNodeImpl operand, boolean printed) {
        super(operand.getStartPosition(), operand.getEndPosition(), operand);
        this.printed = printed;
    }

    /**
     * Returns the expression with all operands wrapped whose text becomes part of the key. Conditions of ternary
     * operators and arguments of methods remain unchanged, except those of {@code String.formatted}, which joins texts.
     */
    static SpelNodeImpl everywhereIn(SpelNodeImpl node) {
        if (node instanceof OpPlus && node.getChildCount() == 2) {
            return new OpPlus(node.getStartPosition(), node.getEndPosition(), operand(node, 0), operand(node, 1));
        }
        if (node instanceof Ternary) {
            return new Ternary(
                    node.getStartPosition(), node.getEndPosition(), child(node, 0), in(node, 1), in(node, 2));
        }
        if (node instanceof Elvis) {
            return new Elvis(node.getStartPosition(), node.getEndPosition(), in(node, 0), in(node, 1));
        }
        if (node instanceof InlineList) {
            return new InlineList(node.getStartPosition(), node.getEndPosition(), all(node));
        }
        if (node instanceof CompoundExpression) {
            return path(node);
        }
        if (node instanceof MethodReference method && method.getName().equals("formatted")) {
            return formatted(method);
        }
        if (node instanceof Projection) {
            return new Projection(node.isNullSafe(), node.getStartPosition(), node.getEndPosition(), in(node, 0));
        }
        return node;
    }

    /** Replaces calls of {@code toString()} by {@link PrintedText}. */
    private static SpelNodeImpl path(SpelNodeImpl node) {
        List<SpelNodeImpl> nodes = new ArrayList<>();
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNodeImpl child = child(node, i);
            if (i > 0 && PrintedText.replaces(child)) {
                SpelNodeImpl printed = new PrintedText(joined(nodes), child);
                nodes.clear();
                nodes.add(printed);
            } else {
                nodes.add(everywhereIn(child));
            }
        }
        return joined(nodes);
    }

    private static SpelNodeImpl joined(List<SpelNodeImpl> nodes) {
        SpelNodeImpl first = nodes.get(0);
        SpelNodeImpl last = nodes.get(nodes.size() - 1);
        return nodes.size() == 1
                ? first
                : new CompoundExpression(
                        first.getStartPosition(), last.getEndPosition(), nodes.toArray(SpelNodeImpl[]::new));
    }

    private static SpelNodeImpl formatted(MethodReference method) {
        SpelNodeImpl[] arguments = new SpelNodeImpl[method.getChildCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = new RequiredOperand(in(method, i), true);
        }
        return new MethodReference(
                method.isNullSafe(), method.getName(), method.getStartPosition(), method.getEndPosition(), arguments);
    }

    private static SpelNodeImpl operand(SpelNodeImpl sum, int index) {
        SpelNodeImpl operand = in(sum, index);
        boolean neverNull =
                operand instanceof OpPlus || (operand instanceof Literal && !(operand instanceof NullLiteral));
        return neverNull ? operand : new RequiredOperand(operand, false);
    }

    private static SpelNodeImpl[] all(SpelNodeImpl node) {
        SpelNodeImpl[] children = new SpelNodeImpl[node.getChildCount()];
        for (int i = 0; i < children.length; i++) {
            children[i] = in(node, i);
        }
        return children;
    }

    private static SpelNodeImpl in(SpelNodeImpl node, int index) {
        return everywhereIn(child(node, index));
    }

    private static SpelNodeImpl child(SpelNodeImpl node, int index) {
        return (SpelNodeImpl) node.getChild(index);
    }

    @Override
    public TypedValue getValueInternal(ExpressionState state) {
        TypedValue typed = this.children[0].getValueInternal(state);
        Object value = typed.getValue();
        if (value == null) {
            throw new KeyText.Unusable("joins " + toStringAST()
                    + ", which is null: all calls without a value would share"
                    + " one lock. Reject such calls before, or provide a default for missing values: (" + toStringAST()
                    + " ?: 'none').");
        }
        if (this.printed) {
            String unused = KeyText.ofPrinted(value);
        }
        return typed;
    }

    @Override
    public String toStringAST() {
        return this.children[0].toStringAST();
    }
}

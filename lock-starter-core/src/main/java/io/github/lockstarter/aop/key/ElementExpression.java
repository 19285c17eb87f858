package io.github.lockstarter.aop.key;

import java.util.function.BiFunction;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Checks the expression of a selection or projection, in which names without {@code #} are properties of the element.
 *
 * @param steps checks one node of a path, and returns its type for that of the value before it
 */
record ElementExpression(BiFunction<SpelNode, ResolvableType, ResolvableType> steps) {

    /** Checks an expression and returns its type; {@link ResolvableType#NONE} if it is not known. */
    ResolvableType check(SpelNode node, ResolvableType element) {
        if (node instanceof CompoundExpression) {
            return path(node, element);
        }
        ResolvableType type = isThis(node) ? element : ResolvableType.NONE;
        if (isMember(node)) {
            type = this.steps.apply(node, element);
        }
        arguments(node, element);
        return type;
    }

    private ResolvableType path(SpelNode path, ResolvableType element) {
        ResolvableType type = check(path.getChild(0), element);
        for (int i = 1; i < path.getChildCount(); i++) {
            type = this.steps.apply(path.getChild(i), type);
            arguments(path.getChild(i), element);
        }
        return type;
    }

    /** Checks the nodes below a node, except those that apply to other elements or are the key of a map. */
    private void arguments(SpelNode node, ResolvableType element) {
        if (node instanceof Projection || node instanceof Selection) {
            return;
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            if (!(node instanceof Indexer && node.getChild(i) instanceof PropertyOrFieldReference)) {
                ResolvableType unused = check(node.getChild(i), element);
            }
        }
    }

    private static boolean isMember(SpelNode node) {
        return node instanceof PropertyOrFieldReference
                || node instanceof MethodReference
                || node instanceof Indexer
                || node instanceof Projection
                || node instanceof Selection;
    }

    private static boolean isThis(SpelNode node) {
        return node instanceof VariableReference && node.toStringAST().equals("#this");
    }
}

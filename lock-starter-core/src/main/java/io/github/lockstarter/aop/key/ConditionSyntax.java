package io.github.lockstarter.aop.key;

import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OpMultiply;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.OperatorPower;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;

/** Checks a parsed condition at start-up: its names and operations, and that its result can be a boolean. */
record ConditionSyntax(SpelAttribute attribute, SpelNode ast) {

    void check() {
        new ExpressionSyntax(this.attribute, this.ast).check(this.ast);
        new QuotedTexts(this.attribute).check(this.ast);
        checkResult(this.ast);
    }

    /** Checks a node whose value is the result of the condition. */
    private void checkResult(SpelNode node) {
        if (node instanceof Ternary choice) {
            checkResult(choice.getChild(1));
            checkResult(choice.getChild(2));
        } else if (node instanceof Elvis choice) {
            checkResult(choice.getChild(0));
            checkResult(choice.getChild(1));
        } else if (isNeverBoolean(node)) {
            throw this.attribute.rejection(
                    node.toStringAST() + " is neither true nor false",
                    "Compare it with the value for which the call takes the lock.");
        }
    }

    private boolean isNeverBoolean(SpelNode node) {
        if (node instanceof Literal) {
            return !(node instanceof BooleanLiteral);
        }
        Class<?> type = typeOf(node).resolve();
        return type != null
                ? !ClassUtils.resolvePrimitiveIfNecessary(type).isAssignableFrom(Boolean.class)
                : node instanceof InlineList || isCalculation(node);
    }

    private static boolean isCalculation(SpelNode node) {
        return node instanceof OpPlus
                || node instanceof OpMinus
                || node instanceof OpMultiply
                || node instanceof OpDivide
                || node instanceof OpModulus
                || node instanceof OperatorPower;
    }

    /** Returns the type of a parameter, or of the property path that begins at one; NONE if it is not known. */
    private ResolvableType typeOf(SpelNode node) {
        SpelNode head = node instanceof CompoundExpression ? node.getChild(0) : node;
        return head instanceof VariableReference
                ? new PropertyPaths(this.attribute)
                        .check(node, head.toStringAST().substring(1))
                : ResolvableType.NONE;
    }
}

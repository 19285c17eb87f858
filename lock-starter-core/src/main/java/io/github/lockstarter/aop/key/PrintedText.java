package io.github.lockstarter.aop.key;

import java.util.Optional;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.SpelNodeImpl;

/**
 * A call of {@code toString()} in a key, such as {@code #order.toString()}. Its result is only a text, in which a date or
 * the order of a set can no longer be recognized. Therefore the call is replaced by a node of this class, which checks the
 * value before.
 */
final class PrintedText extends SpelNodeImpl {

    private final boolean nullSafe;

    /**
     * Creates the node.
     *
     * @param value evaluated once
     * @param call the call of {@code toString()} on it
     */
    PrintedText(SpelNodeImpl value, SpelNodeImpl call) {
        super(value.getStartPosition(), call.getEndPosition(), value);
        this.nullSafe = call.isNullSafe();
    }

    /** Returns whether the node is a call of {@code toString()}. */
    static boolean replaces(SpelNodeImpl node) {
        return node instanceof MethodReference method
                && method.getName().equals("toString")
                && method.getChildCount() == 0;
    }

    @Override
    public TypedValue getValueInternal(ExpressionState state) {
        Object value = this.children[0].getValueInternal(state).getValue();
        if (value == null) {
            if (this.nullSafe) {
                return TypedValue.NULL;
            }
            throw new SpelEvaluationException(
                    getStartPosition(), SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED, "toString()");
        }
        // Spring 7 would call the method of its content, earlier versions that of the Optional.
        boolean ambiguous = this.nullSafe && value instanceof Optional;
        return new TypedValue(ambiguous ? KeyText.ofPart(value) : KeyText.ofPrinted(value));
    }

    @Override
    public String toStringAST() {
        return this.children[0].toStringAST() + (this.nullSafe ? "?." : ".") + "toString()";
    }
}

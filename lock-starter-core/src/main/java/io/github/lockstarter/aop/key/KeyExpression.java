package io.github.lockstarter.aop.key;

import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.InvalidLockKeyException;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.standard.SpelExpression;

/** The key of one annotation: parsed and checked once, evaluated for each call. Thread-safe. */
public final class KeyExpression {

    private final SpelAttribute attribute;

    private final SpelExpression expression;

    private final ExpressionContext context;

    private final boolean callsToString;

    private KeyExpression(SpelAttribute attribute, SpelExpression expression, ExpressionContext context) {
        this.attribute = attribute;
        this.expression = expression;
        this.context = context;
        this.callsToString = attribute.text().contains("toString()");
    }

    /**
     * Parses and checks the text of a key.
     *
     * @param annotated the element that carries the annotation, see {@link ExpressionVariables#of}
     * @throws InvalidLockDefinitionException if it is not a usable key
     */
    public static KeyExpression parse(
            ExpressionSite site, String text, @Nullable Object annotated, ExpressionContext context) {
        SpelAttribute attribute = SpelAttribute.of(site, SpelAttribute.Kind.KEY, text, annotated);
        SpelExpression expression = attribute.parse();
        new KeySyntax(attribute, expression.getAST()).check();
        return new KeyExpression(attribute, required(expression), context);
    }

    /** Returns the expression as it was written. */
    public String text() {
        return this.attribute.text();
    }

    /**
     * Returns the keys of a call: one, or for a collection those of its elements without duplicates. Never empty.
     *
     * @param target the bean; null for a static method
     * @throws InvalidLockKeyException if the expression fails or its result cannot be a key
     */
    public Collection<String> evaluate(@Nullable Object target, @Nullable Object[] arguments) {
        try {
            Object value = this.expression.getValue(this.context.forKey(this.attribute, target, arguments));
            Collection<String> texts =
                    value instanceof Collection<?> several ? KeyText.ofEach(several) : List.of(KeyText.of(value));
            if (this.callsToString) {
                texts.forEach(KeyText::checkPrinted);
            }
            return texts;
        } catch (RuntimeException ex) {
            KeyText.Unusable reason = unusableValueIn(ex);
            throw reason != null
                    ? unusable(String.valueOf(reason.getMessage()), null)
                    : unusable("cannot be evaluated: " + ex.getMessage(), ex);
        }
    }

    /** SpEL wraps the exception for a value that is the argument of a method. */
    private static KeyText.@Nullable Unusable unusableValueIn(RuntimeException ex) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            if (cause instanceof KeyText.Unusable unusable) {
                return unusable;
            }
        }
        return null;
    }

    /**
     * Creates the exception for a result that cannot be a key.
     *
     * @param problem continues the sentence that begins with the key and its method
     * @param cause null if there is none
     */
    public InvalidLockKeyException unusable(String problem, @Nullable Throwable cause) {
        return new InvalidLockKeyException("Key \"" + text() + "\" of " + this.attribute.site() + " " + problem, cause);
    }

    /** Returns the expression with operands that must not be null: SpEL would join null as the text "null". */
    private static SpelExpression required(SpelExpression expression) {
        SpelNodeImpl ast = RequiredOperand.everywhereIn((SpelNodeImpl) expression.getAST());
        return new SpelExpression(expression.getExpressionString(), ast, SpelAttribute.CONFIGURATION);
    }
}

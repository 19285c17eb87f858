package io.github.lockstarter.aop.key;

import io.github.lockstarter.InvalidLockConditionException;
import io.github.lockstarter.InvalidLockDefinitionException;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.standard.SpelExpression;

/** The condition of one annotation: parsed and checked once, evaluated for each call. Thread-safe. */
public final class ConditionExpression {

    private final SpelAttribute attribute;

    private final SpelExpression expression;

    private final ExpressionContext context;

    private ConditionExpression(SpelAttribute attribute, SpelExpression expression, ExpressionContext context) {
        this.attribute = attribute;
        this.expression = expression;
        this.context = context;
    }

    /**
     * Parses and checks the text of a condition.
     *
     * @param annotated the element that carries the annotation, see {@link ExpressionVariables#of}
     * @throws InvalidLockDefinitionException if it is not a usable condition
     */
    public static ConditionExpression parse(
            ExpressionSite site, String text, @Nullable Object annotated, ExpressionContext context) {
        SpelAttribute attribute = SpelAttribute.of(site, SpelAttribute.Kind.CONDITION, text, annotated);
        SpelExpression expression = attribute.parse();
        new ConditionSyntax(attribute, expression.getAST()).check();
        return new ConditionExpression(attribute, expression, context);
    }

    /** Returns the expression as it was written. */
    public String text() {
        return this.attribute.text();
    }

    /**
     * Returns whether a call takes the lock.
     *
     * @param target the bean; null for a static method
     * @throws InvalidLockConditionException if the expression fails or its result is not a boolean
     */
    public boolean isMet(@Nullable Object target, @Nullable Object[] arguments) {
        Object value = evaluate(target, arguments);
        if (value instanceof Boolean met) {
            return met;
        }
        throw value == null
                ? unusable(
                        "is null instead of true or false. Provide a default for missing values, such as ?: true.",
                        null)
                : unusable(
                        "has a result of type " + value.getClass().getTypeName()
                                + " instead of true or false. Compare it with the expected value.",
                        null);
    }

    private @Nullable Object evaluate(@Nullable Object target, @Nullable Object[] arguments) {
        try {
            return this.expression.getValue(this.context.forCondition(this.attribute, target, arguments));
        } catch (RuntimeException ex) {
            throw unusable("cannot be evaluated: " + ex.getMessage(), ex);
        }
    }

    private InvalidLockConditionException unusable(String problem, @Nullable Throwable cause) {
        return new InvalidLockConditionException(
                "Condition \"" + text() + "\" of " + this.attribute.site() + " " + problem, cause);
    }
}

package io.github.lockstarter.aop.key;

import io.github.lockstarter.InvalidLockConditionException;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.standard.SpelExpression;

/** The condition of one annotation, parsed and checked once and evaluated once for each call. */
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
     * Parses and checks.
     *
     * @param annotated what carries the annotation, see {@link ExpressionVariables#of}
     */
    public static ConditionExpression parse(ExpressionSite site, String text, @Nullable Object annotated, ExpressionContext context) {
        SpelAttribute attribute = SpelAttribute.of(site, SpelAttribute.Kind.CONDITION, text, annotated);
        SpelExpression expression = attribute.parse();
        new ConditionSyntax(attribute, expression.getAST()).check();
        return new ConditionExpression(attribute, expression, context);
    }

    /** The expression as it was written. */
    public String text() {
        return this.attribute.text();
    }

    /** Whether a call with these arguments takes the lock. */
    public boolean isMet(@Nullable Object target, @Nullable Object[] arguments) {
        Object value = evaluate(target, arguments);
        if (value instanceof Boolean met) {
            return met;
        }
        throw value == null
                ? unusable(
                        "is null and not true or false. Write what a missing value stands for, such as ?: true.", null)
                : unusable(
                        "gave a value of type " + value.getClass().getTypeName()
                                + " and not true or false. Compare it with what it must be.",
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

package io.github.lockstarter.key;

import io.github.lockstarter.InvalidLockConditionException;
import org.jspecify.annotations.Nullable;

/** The condition of one annotation, evaluated for each call. Thread-safe. */
public final class ConditionExpression {

    private final Expressions.Parsed parsed;

    ConditionExpression(Expressions.Parsed parsed) {
        this.parsed = parsed;
    }

    /** Returns the expression as it was written. */
    public String text() {
        return this.parsed.text();
    }

    /**
     * Returns whether a call takes the lock.
     *
     * @param target the bean; null for a static method
     * @throws InvalidLockConditionException if the expression fails or its result is not a boolean
     */
    public boolean isMet(@Nullable Object target, @Nullable Object[] arguments) {
        Object value;
        try {
            value = this.parsed.expression().getValue(this.parsed.context(target, arguments));
        } catch (RuntimeException ex) {
            throw unusable("cannot be evaluated: " + ex.getMessage(), ex);
        }
        if (value instanceof Boolean met) {
            return met;
        }
        throw unusable(
                value == null
                        ? "is null instead of true or false. Provide a default for missing values, such as ?: true."
                        : "has a result of type " + value.getClass().getTypeName()
                                + " instead of true or false. Compare it with the expected value.",
                null);
    }

    private InvalidLockConditionException unusable(String problem, @Nullable Throwable cause) {
        return new InvalidLockConditionException(
                "Condition \"" + text() + "\" of " + this.parsed.site() + " " + problem, cause);
    }
}

package io.github.lockstarter.key;

import io.github.lockstarter.InvalidLockKeyException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** The key of one annotation, evaluated for each call. Thread-safe. */
public final class KeyExpression {

    private static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration();

    /** Joins two operands in the way of SpEL: numbers are added. */
    private static final SpelExpression SUM = new SpelExpressionParser().parseRaw("[0] + [1]");

    private final Expressions.Parsed parsed;

    KeyExpression(Expressions.Parsed parsed) {
        this.parsed = parsed;
    }

    /** Returns the expression as it was written. */
    public String text() {
        return this.parsed.text();
    }

    /**
     * Returns the keys of a call: one, or for a collection those of its elements without duplicates. Never empty.
     *
     * @param target the bean; null for a static method
     * @throws InvalidLockKeyException if the expression fails or its result cannot be a key
     */
    public Collection<String> evaluate(@Nullable Object target, @Nullable Object[] arguments) {
        try {
            Object value = valueOf(this.parsed.expression().getAST(), this.parsed.context(target, arguments));
            return value instanceof Collection<?> several ? textsOf(several) : List.of(textOf(value));
        } catch (RuntimeException ex) {
            // SpEL wraps the exception for a value that is the argument of a method.
            for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
                if (cause instanceof UnstableTextException || cause instanceof UnusableValueException) {
                    throw unusable(problemOf(cause), null);
                }
            }
            throw unusable("cannot be evaluated: " + ex.getMessage(), ex);
        }
    }

    /**
     * Returns the value of a node whose value is a whole key, or several. The operands of {@code +} are evaluated one by one,
     * because SpEL would join null as the text "null".
     */
    private @Nullable Object valueOf(SpelNode node, EvaluationContext context) {
        if (node instanceof OpPlus && node.getChildCount() == 2) {
            return SUM.getValue(
                    context, List.of(operand(node.getChild(0), context), operand(node.getChild(1), context)));
        }
        if (node instanceof Ternary) {
            Boolean chosen = expression(node.getChild(0)).getValue(context, Boolean.class);
            if (chosen == null) {
                throw new SpelEvaluationException(SpelMessage.TYPE_CONVERSION_ERROR, "null", "boolean");
            }
            return valueOf(node.getChild(chosen ? 1 : 2), context);
        }
        if (node instanceof Elvis) {
            Object value = valueOf(node.getChild(0), context);
            // In the way of Spring 7, for all versions.
            value = value instanceof Optional<?> optional ? optional.orElse(null) : value;
            return value == null || value.equals("") ? valueOf(node.getChild(1), context) : value;
        }
        if (node instanceof InlineList) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int i = 0; i < node.getChildCount(); i++) {
                values.add(valueOf(node.getChild(i), context));
            }
            return values;
        }
        return expression(node).getValue(context);
    }

    private Object operand(SpelNode node, EvaluationContext context) {
        Object value = valueOf(node, context);
        if (value == null) {
            throw joinsNull(node.toStringAST());
        }
        return value;
    }

    private SpelExpression expression(SpelNode node) {
        SpelExpression whole = this.parsed.expression();
        return node == whole.getAST() ? whole : new SpelExpression(text(), (SpelNodeImpl) node, CONFIGURATION);
    }

    /** Creates the exception for null that would become part of a key. */
    static RuntimeException joinsNull(String operand) {
        return new UnusableValueException(
                "joins " + operand + ", which is null: all calls without a value would share"
                        + " one lock. Reject such calls before, or provide a default for missing values, such as (#id ?: 'none').");
    }

    private static String textOf(@Nullable Object value) {
        String text = value != null ? StableText.of(value) : null;
        if (text == null || text.isBlank()) {
            throw new UnusableValueException("is " + (text == null ? "null" : "blank")
                    + ": all calls without a value would share one lock. Reject such calls before.");
        }
        return text;
    }

    private static Collection<String> textsOf(Collection<?> values) {
        if (values.isEmpty()) {
            throw new UnusableValueException(
                    "is an empty collection: nothing would be locked. Reject such calls before.");
        }
        Set<String> texts = new LinkedHashSet<>();
        int number = 0;
        for (Object value : values) {
            number++;
            try {
                texts.add(textOf(value));
            } catch (UnstableTextException | UnusableValueException ex) {
                throw new UnusableValueException(
                        "gave several keys, of which number " + number + " of " + values.size() + " " + problemOf(ex));
            }
        }
        return texts;
    }

    private static String problemOf(Throwable failure) {
        return (failure instanceof UnstableTextException ? "gave " : "") + failure.getMessage();
    }

    /**
     * Creates the exception for a result that cannot be a key.
     *
     * @param problem continues the sentence that begins with the key and its method
     * @param cause null if there is none
     */
    public InvalidLockKeyException unusable(String problem, @Nullable Throwable cause) {
        return new InvalidLockKeyException("Key \"" + text() + "\" of " + this.parsed.site() + " " + problem, cause);
    }

    /** The message continues the sentence "Key … of …". */
    private static final class UnusableValueException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        UnusableValueException(String message) {
            super(message);
        }
    }
}

package io.github.lockstarter.key;

import io.github.lockstarter.InvalidLockConditionException;
import io.github.lockstarter.InvalidLockKeyException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
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
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** The key or the condition of one annotation, checked at start-up and evaluated for each call. Thread-safe. */
public final class CallExpression {

    private static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration();

    /** Joins two operands in the way of SpEL: numbers are added. */
    private static final SpelExpression SUM = new SpelExpressionParser().parseRaw("[0] + [1]");

    private final ExpressionSite site;

    private final SpelExpression expression;

    private final Map<String, Integer> parameters;

    private final StandardEvaluationContext shared;

    private final @Nullable String doubt;

    private final Function<EvaluationContext, @Nullable Object> key;

    /**
     * Creates the expression.
     *
     * @param parameters the indexes of the parameters that it uses, by the names of its variables
     * @param shared what the contexts of all calls have in common
     * @param doubt see {@link #doubt()}
     */
    CallExpression(
            ExpressionSite site,
            SpelExpression expression,
            Map<String, Integer> parameters,
            StandardEvaluationContext shared,
            @Nullable String doubt) {
        this.site = site;
        this.expression = expression;
        this.parameters = parameters;
        this.shared = shared;
        this.doubt = doubt;
        this.key = valueOf(expression.getAST());
    }

    /** Returns the expression as it was written. */
    public String text() {
        return this.expression.getExpressionString();
    }

    /**
     * Returns why a key may lock the wrong thing, and what to do, in whole sentences, or {@code null} if there is no
     * reason.
     */
    public @Nullable String doubt() {
        return this.doubt;
    }

    private EvaluationContext context(@Nullable Object target, @Nullable Object[] arguments) {
        StandardEvaluationContext context = new StandardEvaluationContext(new CallRoot(this.site.method(), target));
        this.shared.applyDelegatesTo(context);
        for (Map.Entry<String, Integer> each : this.parameters.entrySet()) {
            context.setVariable(each.getKey(), arguments[each.getValue()]);
        }
        return context;
    }

    // ---- Conditions

    /**
     * Returns whether a call takes the lock, of which this is the condition.
     *
     * @param target the bean; null for a static method
     * @throws InvalidLockConditionException if the expression fails or its result is not a boolean
     */
    public boolean isMet(@Nullable Object target, @Nullable Object[] arguments) {
        Object value;
        try {
            value = this.expression.getValue(context(target, arguments));
        } catch (RuntimeException ex) {
            throw invalidCondition("cannot be evaluated: " + ex.getMessage(), ex);
        }
        if (value instanceof Boolean met) {
            return met;
        }
        throw invalidCondition(
                value == null
                        ? "is null instead of true or false. Provide a default for missing values, such as ?: true."
                        : "has a result of type " + value.getClass().getTypeName()
                                + " instead of true or false. Compare it with the expected value.",
                null);
    }

    private InvalidLockConditionException invalidCondition(String problem, @Nullable Throwable cause) {
        return new InvalidLockConditionException("Condition \"" + text() + "\" of " + this.site + " " + problem, cause);
    }

    // ---- Keys

    /**
     * Returns the keys of a call: one key, or for a collection the keys of its elements without duplicates. Never
     * empty.
     *
     * @param target the bean; null for a static method
     * @throws InvalidLockKeyException if the expression fails or its result cannot be a key
     */
    public Collection<String> keys(@Nullable Object target, @Nullable Object[] arguments) {
        try {
            Object value = this.key.apply(context(target, arguments));
            return value instanceof Collection<?> several ? textsOf(several) : List.of(textOf(value));
        } catch (RuntimeException ex) {
            // SpEL wraps the exception for a value that is the argument of a method.
            for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
                if (cause instanceof UnstableTextException || cause instanceof UnusableValueException) {
                    throw invalidKey(problemOf(cause), null);
                }
            }
            throw invalidKey("cannot be evaluated: " + ex.getMessage(), ex);
        }
    }

    /**
     * Creates the exception for a result that cannot be a key.
     *
     * @param problem continues the sentence that begins with the key and its method
     * @param cause null if there is none
     */
    public InvalidLockKeyException invalidKey(String problem, @Nullable Throwable cause) {
        return new InvalidLockKeyException("Key \"" + text() + "\" of " + this.site + " " + problem, cause);
    }

    /**
     * Returns the evaluation of a node whose value is a whole key, or several. The operands of {@code +} are evaluated
     * one by one, because SpEL would join null as the text "null".
     */
    private Function<EvaluationContext, @Nullable Object> valueOf(SpelNode node) {
        if (node instanceof OpPlus && node.getChildCount() == 2) {
            Function<EvaluationContext, Object> left = operand(node.getChild(0));
            Function<EvaluationContext, Object> right = operand(node.getChild(1));
            return context -> SUM.getValue(context, List.of(left.apply(context), right.apply(context)));
        }
        if (node instanceof Ternary) {
            SpelExpression condition = expression(node.getChild(0));
            Function<EvaluationContext, @Nullable Object> first = valueOf(node.getChild(1));
            Function<EvaluationContext, @Nullable Object> second = valueOf(node.getChild(2));
            return context -> {
                Boolean chosen = condition.getValue(context, Boolean.class);
                if (chosen == null) {
                    throw new SpelEvaluationException(SpelMessage.TYPE_CONVERSION_ERROR, "null", "boolean");
                }
                return (chosen ? first : second).apply(context);
            };
        }
        if (node instanceof Elvis) {
            Function<EvaluationContext, @Nullable Object> first = valueOf(node.getChild(0));
            Function<EvaluationContext, @Nullable Object> otherwise = valueOf(node.getChild(1));
            return context -> {
                Object value = first.apply(context);
                // An Optional is treated as in Spring 7, with all versions of Spring.
                value = value instanceof Optional<?> optional ? optional.orElse(null) : value;
                return value == null || value.equals("") ? otherwise.apply(context) : value;
            };
        }
        if (node instanceof InlineList) {
            List<Function<EvaluationContext, @Nullable Object>> elements = new ArrayList<>();
            for (int i = 0; i < node.getChildCount(); i++) {
                elements.add(valueOf(node.getChild(i)));
            }
            return context ->
                    elements.stream().map(element -> element.apply(context)).toList();
        }
        return expression(node)::getValue;
    }

    private Function<EvaluationContext, Object> operand(SpelNode node) {
        Function<EvaluationContext, @Nullable Object> operand = valueOf(node);
        return context -> {
            Object value = operand.apply(context);
            if (value == null) {
                throw joinsNull(node.toStringAST());
            }
            return value;
        };
    }

    private SpelExpression expression(SpelNode node) {
        return node == this.expression.getAST()
                ? this.expression
                : new SpelExpression(text(), (SpelNodeImpl) node, CONFIGURATION);
    }

    /** Creates the exception for null that would become part of a key. */
    static RuntimeException joinsNull(String operand) {
        return new UnusableValueException(
                "joins " + operand + ", which is null: all calls without a value would share one lock. Reject such"
                        + " calls before, or provide a default for missing values, such as (#id ?:"
                        + " 'none').");
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

    /** The message continues the sentence "Key … of …". */
    private static final class UnusableValueException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        UnusableValueException(String message) {
            super(message);
        }
    }
}

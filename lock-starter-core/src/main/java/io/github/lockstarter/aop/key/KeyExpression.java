package io.github.lockstarter.aop.key;

import io.github.lockstarter.InvalidLockKeyException;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.standard.SpelExpression;

/** The key of one annotated method, parsed and checked once and evaluated once for each call. */
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
     * Parses and checks.
     *
     * @param annotated what carries the annotation, see {@link ExpressionVariables#of}
     */
    public static KeyExpression parse(ExpressionSite site, String text, @Nullable Object annotated, ExpressionContext context) {
        SpelAttribute attribute = SpelAttribute.of(site, SpelAttribute.Kind.KEY, text, annotated);
        SpelExpression expression = attribute.parse();
        new KeySyntax(attribute, expression.getAST()).check();
        return new KeyExpression(attribute, required(expression), context);
    }

    /** The expression as it was written. */
    public String text() {
        return this.attribute.text();
    }

    /** Texts of the keys for a call with these arguments: one, or those of a collection, each once. */
    public Collection<String> evaluate(@Nullable Object target, @Nullable Object[] arguments) {
        try {
            Object value = this.expression.getValue(this.context.forKey(this.attribute, target, arguments));
            Collection<String> texts =
                    value instanceof Collection<?> several ? KeyText.ofEach(several) : List.of(KeyText.of(value));
            if (this.callsToString) {
                texts.forEach(KeyText::checkPrinted);
            }
            return texts;
        } catch (KeyText.Unusable ex) {
            throw unusable(String.valueOf(ex.getMessage()), null);
        } catch (RuntimeException ex) {
            throw unusable("cannot be evaluated: " + ex.getMessage(), ex);
        }
    }

    /** For a key that cannot name a lock; the message goes on with the problem. */
    public InvalidLockKeyException unusable(String problem, @Nullable Throwable cause) {
        return new InvalidLockKeyException("Key \"" + text() + "\" of " + this.attribute.site() + " " + problem, cause);
    }

    /** SpEL's own join of text and null is the text "null". */
    private static SpelExpression required(SpelExpression expression) {
        SpelNodeImpl ast = RequiredOperand.everywhereIn((SpelNodeImpl) expression.getAST());
        return new SpelExpression(expression.getExpressionString(), ast, SpelAttribute.CONFIGURATION);
    }
}

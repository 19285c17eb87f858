package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockKeyException;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** The key of one annotated method, parsed and checked once and evaluated once for each call. */
final class KeyExpression {

    private static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration();

    private static final SpelExpressionParser PARSER = new SpelExpressionParser(CONFIGURATION);

    private final LockSite site;

    private final String text;

    private final SpelExpression expression;

    private final KeyVariables variables;

    private final KeyContext context;

    private final boolean callsToString;

    private KeyExpression(
            LockSite site, String text, SpelExpression expression, KeyVariables variables, KeyContext context) {
        this.site = site;
        this.text = text;
        this.expression = expression;
        this.variables = variables;
        this.context = context;
        this.callsToString = text.contains("toString()");
    }

    /**
     * Parses and checks.
     *
     * @param annotated what carries the annotation, see {@link KeyVariables#of}
     */
    static KeyExpression parse(LockSite site, String text, @Nullable Object annotated, KeyContext context) {
        KeyVariables variables = KeyVariables.of(site.method(), annotated);
        SpelExpression expression = parse(site, text, variables);
        new KeySyntax(site, text, expression.getAST(), variables).check();
        return new KeyExpression(site, text, required(expression), variables, context);
    }

    /** The expression as it was written. */
    String text() {
        return this.text;
    }

    /** Texts of the keys for a call with these arguments: one, or those of a collection, each once. */
    Collection<String> evaluate(@Nullable Object target, @Nullable Object[] arguments) {
        try {
            Object value = this.expression.getValue(
                    this.context.forCall(this.site.method(), this.variables, target, arguments));
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
    InvalidLockKeyException unusable(String problem, @Nullable Throwable cause) {
        return new InvalidLockKeyException("Key \"" + this.text + "\" of " + this.site + " " + problem, cause);
    }

    private static SpelExpression parse(LockSite site, String text, KeyVariables variables) {
        if (text.isBlank()) {
            throw site.refused(
                    "key = \"" + text + "\" is blank",
                    "Leave it out, and all calls share the lock, or name a parameter.");
        }
        try {
            return PARSER.parseRaw(text);
        } catch (ParseException | IllegalStateException | IllegalArgumentException ex) {
            throw site.refused(
                    "key = \"" + text + "\" is no SpEL expression: " + ex.getMessage(), remedy(text, variables), ex);
        }
    }

    /** SpEL's own join of text and null is the text "null". */
    private static SpelExpression required(SpelExpression expression) {
        SpelNodeImpl ast = RequiredOperand.everywhereIn((SpelNodeImpl) expression.getAST());
        return new SpelExpression(expression.getExpressionString(), ast, CONFIGURATION);
    }

    private static String remedy(String text, KeyVariables variables) {
        if (text.contains("${")) {
            return "Placeholders belong into name; the key is what differs from call to call.";
        }
        if (text.contains("#{")) {
            String corrected = KeyTemplates.corrected(text, variables);
            return "Leave out #{ and }, the key is an expression already"
                    + (corrected != null ? ": key = \"" + corrected + "\"." : ".");
        }
        String remedy = "Correct it; plain text belongs into name, or into quotes: \"'text'\".";
        return text.contains("#") ? remedy + " Text and variables are joined with +: \"'text' + #a0\"." : remedy;
    }
}

package io.github.lockstarter.aop.key;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Recognizes texts that contain expressions, such as <code>order-#{#id}</code>. Other annotations accept these
 * templates, but a key is one expression and a name is a literal: such a text would be one lock for all calls.
 */
public final class ExpressionTemplates {

    /** A variable with the properties, methods and elements that follow it. */
    private static final Pattern VARIABLE = Pattern.compile("#(\\w+)(?:\\??\\.\\w+(?:\\(\\))?|\\[\\w+])*");

    private static final Pattern BRACES = Pattern.compile("#\\{([^{}]*)}");

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    private ExpressionTemplates() {}

    /**
     * Returns whether a text contains an expression of that method.
     *
     * @param annotated the element that carries the annotation, see {@link ExpressionVariables#of}
     */
    public static boolean isTemplate(String text, Method method, @Nullable Object annotated) {
        return isTemplate(text, ExpressionVariables.of(method, annotated));
    }

    static boolean isTemplate(String text, ExpressionVariables variables) {
        return text.contains("#{")
                || VARIABLE.matcher(text).results().anyMatch(variable -> isKnown(variable, variables));
    }

    /** Returns a key with <code>#{…}</code> as one expression; null if the intention is unclear. */
    static @Nullable String corrected(String key, ExpressionVariables variables) {
        String expression = BRACES.matcher(key).replaceAll("$1");
        boolean joins = expression.indexOf('\'') >= 0 || expression.indexOf('"') >= 0 || expression.indexOf('+') >= 0;
        return joins && isExpression(expression, variables) ? expression : joined(key, variables);
    }

    /** Returns the text without <code>#{…}</code>; null if that is not an expression. */
    static @Nullable String withoutBraces(String text, ExpressionVariables variables) {
        String expression = BRACES.matcher(text).replaceAll("$1");
        return isExpression(expression, variables) ? expression : null;
    }

    private static boolean isExpression(String text, ExpressionVariables variables) {
        try {
            SpelNode ast = PARSER.parseRaw(text).getAST();
            return BareWords.in(ast, text, variables).isEmpty();
        } catch (ParseException | IllegalStateException | IllegalArgumentException ex) {
            return false;
        }
    }

    /** Returns the expression that joins the parts of the text; null if the intention is unclear. */
    static @Nullable String joined(String text, ExpressionVariables variables) {
        String joined = joinedParts(text, variables);
        return joined != null && isExpression(joined, variables) ? joined : null;
    }

    private static @Nullable String joinedParts(String text, ExpressionVariables variables) {
        try {
            Expression template = PARSER.parseExpression(braced(text, variables), ParserContext.TEMPLATE_EXPRESSION);
            List<String> parts = new ArrayList<>();
            if (template instanceof CompositeStringExpression several) {
                for (Expression part : several.getExpressions()) {
                    add(part, variables, parts);
                }
            } else if (template instanceof SpelExpression one) {
                return corrected(one, variables);
            }
            // Without a text at the start, two numbers would be added.
            boolean beginsWithText = parts.stream().limit(2).anyMatch(part -> part.startsWith("'"));
            return parts.isEmpty() ? null : (beginsWithText ? "" : "'' + ") + String.join(" + ", parts);
        } catch (ParseException | IllegalStateException | IllegalArgumentException ex) {
            return null;
        }
    }

    private static String braced(String text, ExpressionVariables variables) {
        return text.contains("#{")
                ? text
                : VARIABLE.matcher(text)
                        .replaceAll(variable -> Matcher.quoteReplacement(
                                isKnown(variable, variables) ? "#{" + variable.group() + "}" : variable.group()));
    }

    private static boolean isKnown(MatchResult variable, ExpressionVariables variables) {
        return variable.group(1).equals("root") || variables.contains(variable.group(1));
    }

    private static void add(Expression part, ExpressionVariables variables, List<String> parts) {
        if (part instanceof LiteralExpression literal) {
            parts.add('\'' + literal.getExpressionString().replace("'", "''") + '\'');
        } else if (part instanceof SpelExpression expression) {
            String text = corrected(expression, variables);
            parts.add(isOperand(expression.getAST()) ? text : '(' + text + ')');
        }
    }

    private static String corrected(SpelExpression expression, ExpressionVariables variables) {
        String text = expression.getExpressionString();
        return BareWords.in(expression.getAST(), text, variables).corrected();
    }

    private static boolean isOperand(SpelNode node) {
        return node instanceof VariableReference
                || node instanceof CompoundExpression
                || node instanceof Literal
                || node instanceof BeanReference;
    }
}

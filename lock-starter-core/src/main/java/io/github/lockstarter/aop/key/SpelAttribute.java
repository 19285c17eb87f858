package io.github.lockstarter.aop.key;

import io.github.lockstarter.InvalidLockDefinitionException;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * An attribute of an annotation whose value is one SpEL expression.
 *
 * @param site the annotated method
 * @param kind which attribute
 * @param text the expression as it was written
 * @param variables the variables that the expression may use
 */
record SpelAttribute(ExpressionSite site, Kind kind, String text, ExpressionVariables variables) {

    /** The attributes whose values are expressions. */
    enum Kind {
        KEY("key"),
        CONDITION("condition");

        private final String attribute;

        Kind(String attribute) {
            this.attribute = attribute;
        }
    }

    static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration();

    private static final SpelExpressionParser PARSER = new SpelExpressionParser(CONFIGURATION);

    /**
     * Returns the attribute of a method.
     *
     * @param annotated the element that carries the annotation, see {@link ExpressionVariables#of}
     */
    static SpelAttribute of(ExpressionSite site, Kind kind, String text, @Nullable Object annotated) {
        return new SpelAttribute(site, kind, text, ExpressionVariables.of(site.method(), annotated));
    }

    boolean isKey() {
        return this.kind == Kind.KEY;
    }

    /** Returns the name of the attribute. */
    String name() {
        return this.kind.attribute;
    }

    /** Returns the attribute with that text as it would be written in the annotation. */
    String with(String corrected) {
        return name() + " = \"" + corrected + '"';
    }

    /** Creates the exception that rejects the expression at start-up; see {@link ExpressionSite#rejection}. */
    InvalidLockDefinitionException rejection(String problem, String remedy) {
        return this.site.rejection("in " + with(this.text) + ", " + problem, remedy, null);
    }

    /** Parses the text as one expression. */
    SpelExpression parse() {
        if (this.text.isBlank()) {
            throw this.site.rejection(
                    with(this.text) + " is blank",
                    isKey()
                            ? "Remove it, so that all calls share the lock, or name a parameter."
                            : "Remove it, so that all calls take the lock, or write the condition.",
                    null);
        }
        try {
            return PARSER.parseRaw(this.text);
        } catch (ParseException | IllegalStateException | IllegalArgumentException ex) {
            throw this.site.rejection(with(this.text) + " is not a SpEL expression: " + ex.getMessage(), remedy(), ex);
        }
    }

    private String remedy() {
        if (this.text.contains("${")) {
            return remedyForPlaceholders();
        }
        if (this.text.contains("#{")) {
            String corrected = isKey()
                    ? ExpressionTemplates.corrected(this.text, this.variables)
                    : ExpressionTemplates.withoutBraces(this.text, this.variables);
            return "Remove #{ and }: the " + name() + " is already an expression"
                    + (corrected != null ? ". Write " + with(corrected) + "." : ".");
        }
        if (!isKey()) {
            return "Correct it. Text must be quoted: \"#a0 == 'text'\".";
        }
        String remedy = "Correct it. Plain text belongs in name, or must be quoted: \"'text'\".";
        return this.text.contains("#") ? remedy + " Text and variables are joined with +: \"'text' + #a0\"." : remedy;
    }

    String remedyForPlaceholders() {
        return isKey()
                ? "Placeholders belong in name; the key is the part that differs between calls."
                : "A condition cannot contain placeholders; read the property with"
                        + " @environment.getProperty('name') == 'true', or call a method of a bean.";
    }
}

package io.github.lockstarter.aop.key;

import io.github.lockstarter.InvalidLockDefinitionException;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * An attribute of an annotation that is one SpEL expression: as it was written, where, and the variables that it may use.
 *
 * @param site the annotated method
 * @param kind which attribute
 * @param text what was written
 * @param variables what the expression may use
 */
record SpelAttribute(ExpressionSite site, Kind kind, String text, ExpressionVariables variables) {

    /** The attributes that are expressions. */
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
     * Creates the attribute of a method.
     *
     * @param annotated what carries the annotation, see {@link ExpressionVariables#of}
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

    /** Returns the attribute with that text, as it is written in an annotation. */
    String with(String corrected) {
        return name() + " = \"" + corrected + '"';
    }

    InvalidLockDefinitionException refused(String problem, String remedy) {
        return this.site.refused("in " + with(this.text) + ", " + problem, remedy, null);
    }

    SpelExpression parse() {
        if (this.text.isBlank()) {
            throw this.site.refused(
                    with(this.text) + " is blank",
                    isKey()
                            ? "Leave it out, and all calls share the lock, or name a parameter."
                            : "Leave it out, and all calls take the lock, or write when a call takes it.",
                    null);
        }
        try {
            return PARSER.parseRaw(this.text);
        } catch (ParseException | IllegalStateException | IllegalArgumentException ex) {
            throw this.site.refused(with(this.text) + " is no SpEL expression: " + ex.getMessage(), remedy(), ex);
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
            return "Leave out #{ and }, the " + name() + " is an expression already"
                    + (corrected != null ? ": " + with(corrected) + "." : ".");
        }
        if (!isKey()) {
            return "Correct it; text belongs into quotes: \"#a0 == 'text'\".";
        }
        String remedy = "Correct it; plain text belongs into name, or into quotes: \"'text'\".";
        return this.text.contains("#") ? remedy + " Text and variables are joined with +: \"'text' + #a0\"." : remedy;
    }

    String remedyForPlaceholders() {
        return isKey()
                ? "Placeholders belong into name; the key is what differs from call to call."
                : "A condition has no placeholders; read the property with"
                        + " @environment.getProperty('name') == 'true', or ask a bean.";
    }
}

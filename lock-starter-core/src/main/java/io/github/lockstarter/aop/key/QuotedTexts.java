package io.github.lockstarter.aop.key;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;

/**
 * Rejects text literals that contain a variable, such as {@code 'order-#id'}, in a key or a comparison: SpEL takes them
 * literally, so that the text is the same for all calls.
 */
record QuotedTexts(SpelAttribute attribute) {

    /** Checks a node whose value is the result of the expression or a part of it. */
    void check(SpelNode node) {
        if (node instanceof StringLiteral literal) {
            rejectTemplate(literal, String.valueOf(literal.getLiteralValue().getValue()));
        } else if (isMadeOfParts(node)) {
            for (int i = 0; i < node.getChildCount(); i++) {
                check(node.getChild(i));
            }
        }
    }

    /** Returns whether the children are parts of the result; arguments of methods are not. */
    private boolean isMadeOfParts(SpelNode node) {
        if (this.attribute.isKey()) {
            return node instanceof OpPlus && node.getChildCount() == 2;
        }
        return node instanceof Operator || node instanceof OperatorNot || node instanceof Ternary;
    }

    private void rejectTemplate(StringLiteral literal, String text) {
        ExpressionVariables variables = this.attribute.variables();
        if (text.contains("${")) {
            throw rejection(literal, this.attribute.remedyForPlaceholders());
        }
        String joined =
                ExpressionTemplates.isTemplate(text, variables) ? ExpressionTemplates.joined(text, variables) : null;
        if (joined != null) {
            String before = this.attribute.text().substring(0, literal.getStartPosition());
            String after = this.attribute.text().substring(literal.getEndPosition());
            boolean alone = before.isBlank() && after.isBlank();
            String corrected = alone ? joined : before + '(' + joined + ')' + after;
            throw rejection(literal, "Write variables outside of the quotes: " + this.attribute.with(corrected) + ".");
        }
    }

    private RuntimeException rejection(StringLiteral literal, String remedy) {
        String written = this.attribute.text().substring(literal.getStartPosition(), literal.getEndPosition());
        return this.attribute.rejection(written + " is the same text for every call", remedy);
    }
}

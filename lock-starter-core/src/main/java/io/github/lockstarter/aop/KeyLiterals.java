package io.github.lockstarter.aop;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.StringLiteral;

/** The texts in quotes of which a key is made: what looks like a variable in there is the same text for every call. */
record KeyLiterals(LockSite site, String expression, KeyVariables variables) {

    /** Checks a node whose value is a key, or a part that is joined with others. */
    void check(SpelNode node) {
        if (node instanceof OpPlus && node.getChildCount() == 2) {
            check(node.getChild(0));
            check(node.getChild(1));
        } else if (node instanceof StringLiteral literal) {
            refuseTemplate(literal, String.valueOf(literal.getLiteralValue().getValue()));
        }
    }

    private void refuseTemplate(StringLiteral literal, String text) {
        if (text.contains("${")) {
            throw refused(literal, "Placeholders belong into name; the key is what differs from call to call.");
        }
        String joined = KeyTemplates.isOne(text, this.variables) ? KeyTemplates.joined(text, this.variables) : null;
        if (joined != null) {
            String before = this.expression.substring(0, literal.getStartPosition());
            String after = this.expression.substring(literal.getEndPosition());
            boolean alone = before.isBlank() && after.isBlank();
            String corrected = alone ? joined : before + '(' + joined + ')' + after;
            throw refused(literal, "Write variables outside of the quotes: key = \"" + corrected + "\".");
        }
    }

    private RuntimeException refused(StringLiteral literal, String remedy) {
        String written = this.expression.substring(literal.getStartPosition(), literal.getEndPosition());
        return this.site.refused(
                "in key = \"" + this.expression + "\", " + written + " is a text that is the same for every call",
                remedy);
    }
}

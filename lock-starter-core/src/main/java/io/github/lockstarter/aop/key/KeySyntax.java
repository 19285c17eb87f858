package io.github.lockstarter.aop.key;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Ternary;

/** Checks a parsed key at start-up: its names and operations, and that a list occurs only as the whole key. */
record KeySyntax(SpelAttribute attribute, SpelNode ast) {

    void check() {
        checkResult(this.ast);
    }

    /** Checks a node whose value is the whole key. Only there a list is allowed, for several keys. */
    private void checkResult(SpelNode node) {
        if (node instanceof Ternary choice) {
            checkNames(choice.getChild(0));
            checkResult(choice.getChild(1));
            checkResult(choice.getChild(2));
        } else if (node instanceof Elvis choice) {
            checkResult(choice.getChild(0));
            checkResult(choice.getChild(1));
        } else if (node instanceof InlineList list) {
            if (list.getChildCount() == 0) {
                throw this.attribute.rejection(
                        "an empty list locks nothing",
                        "List at least one key, or use a condition for calls without a lock.");
            }
            for (int i = 0; i < list.getChildCount(); i++) {
                checkOne(list.getChild(i));
            }
        } else {
            checkOne(node);
        }
    }

    /** Checks a node whose value is one key. */
    private void checkOne(SpelNode node) {
        checkNames(node);
        new QuotedTexts(this.attribute).check(node);
    }

    private void checkNames(SpelNode node) {
        new ExpressionSyntax(this.attribute, this.ast).check(node);
    }
}

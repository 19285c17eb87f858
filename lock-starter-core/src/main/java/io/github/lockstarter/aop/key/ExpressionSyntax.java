package io.github.lockstarter.aop.key;

import io.github.lockstarter.InvalidLockDefinitionException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Checks the names and operations of a parsed expression at start-up. SpEL does not report an unknown variable but
 * evaluates it to null, so that calls would fail, share one lock, or run without it.
 */
record ExpressionSyntax(SpelAttribute attribute, SpelNode ast) {

    private static final String CALL_INSTEAD = "Call a method of a parameter or of a bean (@name) instead.";

    /** Checks a node at the start of a property path, and the nodes below it. */
    void check(SpelNode node) {
        check(node, true, false);
    }

    /**
     * Checks a node and the nodes below it.
     *
     * @param head whether the node is at the start of a property path and not behind a dot
     * @param inElement whether the start of a path is read from an element of a selection or projection
     */
    private void check(SpelNode node, boolean head, boolean inElement) {
        rejectForbidden(node);
        if (node instanceof VariableReference) {
            checkVariable(node.toStringAST().substring(1), inElement);
        }
        if (head && !inElement) {
            rejectBareWord(node);
        }
        boolean elements = node instanceof Selection || node instanceof Projection;
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean behindDot = node instanceof CompoundExpression && i > 0;
            check(node.getChild(i), !behindDot, inElement || elements);
        }
        if (node instanceof CompoundExpression && node.getChild(0) instanceof VariableReference variable) {
            checkPath(node, variable.toStringAST().substring(1));
        }
    }

    private void rejectForbidden(SpelNode node) {
        if (node instanceof TypeReference) {
            throw rejection("T(…) is not allowed" + inOne(), CALL_INSTEAD);
        }
        if (node instanceof ConstructorReference) {
            throw rejection("new is not allowed" + inOne(), CALL_INSTEAD);
        }
        if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
            throw rejection(
                    "a " + this.attribute.name() + " must not change anything", "Remove assignments, ++ and --.");
        }
        if (this.attribute.isKey() && (node instanceof InlineList || node instanceof InlineMap)) {
            throw rejection(
                    "a list can only be a whole key, and a map cannot be one",
                    "Join the parts as text: #a0 + ':' + #a1.");
        }
        if (node instanceof InlineMap) {
            throw rejection("a map is not allowed" + inOne(), CALL_INSTEAD);
        }
        if (node instanceof FunctionReference) {
            throw rejection(
                    "functions are not supported" + inOne(), "Call a method of a parameter or of a bean (@name).");
        }
    }

    private void checkVariable(String name, boolean inElement) {
        if (name.equals("root")) {
            if (variables().isParameter(name)) {
                throw rejection(
                        "#root is the call and not the parameter of that name",
                        variables().describe());
            }
        } else if (name.equals("this") && inElement) {
            return;
        } else if (!variables().contains(name)) {
            throw rejection("there is not a variable #" + name, variables().describe());
        } else if (variables().isAmbiguous(name)) {
            throw rejection(
                    "#" + name + " is the name of one parameter and the position of another", "Rename the parameter.");
        }
    }

    private void checkPath(SpelNode path, String variable) {
        if (variable.equals("root")) {
            checkRoot(path.getChild(1));
        } else {
            new PropertyPaths(this.attribute).check(path, variable);
        }
    }

    private void checkRoot(SpelNode property) {
        boolean known =
                property instanceof PropertyOrFieldReference named && ExpressionVariables.isOfRoot(named.getName());
        if (!known) {
            throw rejection(
                    "#root has no " + property.toStringAST(), variables().describe());
        }
    }

    private void rejectBareWord(SpelNode node) {
        if (node instanceof PropertyOrFieldReference property) {
            BareWords all = BareWords.in(this.ast, this.attribute.text(), variables());
            throw rejection(
                    "'" + property.getName() + "' is not a variable", all.remedyFor(property, this.attribute.isKey()));
        }
        if (node instanceof MethodReference method) {
            String call = method.toStringAST();
            throw rejection(
                    "there is nothing to call " + call + " on",
                    "Call it on a parameter, on the bean itself (#root.target." + call + ") or on another bean"
                            + " (@name." + call + ").");
        }
        if (node instanceof Indexer || node instanceof Selection || node instanceof Projection) {
            throw rejection(
                    "there is nothing that " + node.toStringAST() + " could be part of",
                    variables().describe());
        }
    }

    private InvalidLockDefinitionException rejection(String problem, String remedy) {
        return this.attribute.rejection(problem, remedy);
    }

    private ExpressionVariables variables() {
        return this.attribute.variables();
    }

    private String inOne() {
        return " in a " + this.attribute.name();
    }
}

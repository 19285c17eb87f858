package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockDefinitionException;
import java.util.Set;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Elvis;
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
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Looks through a parsed key at start-up. SpEL itself would say nothing, and at run time give null for an unknown
 * variable: every caller would then fail, or share one lock.
 */
record KeySyntax(LockSite site, String expression, SpelNode ast, KeyVariables variables) {

    static final Set<String> ROOT_PROPERTIES = Set.of("method", "target");

    void check() {
        checkResult(this.ast);
    }

    /** Checks a node whose value is the key: only there a list has a meaning, which is several keys. */
    private void checkResult(SpelNode node) {
        if (node instanceof Ternary choice) {
            check(choice.getChild(0), true, false);
            checkResult(choice.getChild(1));
            checkResult(choice.getChild(2));
        } else if (node instanceof Elvis choice) {
            checkResult(choice.getChild(0));
            checkResult(choice.getChild(1));
        } else if (node instanceof InlineList list) {
            if (list.getChildCount() == 0) {
                throw refused("an empty list locks nothing", "Lock something in every case, or split the method.");
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
        check(node, true, false);
        new KeyLiterals(this.site, this.expression, this.variables).check(node);
    }

    /**
     * Checks one node and those below.
     *
     * @param head whether the node stands at the start of a chain, and not behind a dot
     * @param inElement whether what stands at the start is read from the element of a selection or projection
     */
    private void check(SpelNode node, boolean head, boolean inElement) {
        refuseForbidden(node);
        if (node instanceof VariableReference) {
            checkVariable(node.toStringAST().substring(1), inElement);
        }
        if (head && !inElement) {
            refuseBareWord(node);
        }
        boolean elements = node instanceof Selection || node instanceof Projection;
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean behindDot = node instanceof CompoundExpression && i > 0;
            check(node.getChild(i), !behindDot, inElement || elements);
        }
        if (node instanceof CompoundExpression && node.getChild(0) instanceof VariableReference variable) {
            checkChain(node, variable.toStringAST().substring(1));
        }
    }

    private void refuseForbidden(SpelNode node) {
        if (node instanceof TypeReference) {
            throw refused("T(…) is not allowed in a key", "Call a method of a parameter or of a bean (@name) instead.");
        }
        if (node instanceof ConstructorReference) {
            throw refused("new is not allowed in a key", "Call a method of a parameter or of a bean (@name) instead.");
        }
        if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
            throw refused("a key must not change anything", "Leave out assignments, ++ and --.");
        }
        if (node instanceof InlineList || node instanceof InlineMap) {
            throw refused(
                    "a list can only be a whole key, and a map cannot be one",
                    "Put the parts together as text: #a0 + ':' + #a1.");
        }
        if (node instanceof FunctionReference) {
            throw refused("there are no functions in a key", "Call a method of a parameter or of a bean (@name).");
        }
    }

    private void checkVariable(String name, boolean inElement) {
        if (name.equals("root")) {
            if (this.variables.isParameter(name)) {
                throw refused("#root is the call and not the parameter of that name", this.variables.describe());
            }
        } else if (name.equals("this") && inElement) {
            return;
        } else if (!this.variables.contains(name)) {
            throw refused("there is no variable #" + name, this.variables.describe());
        } else if (this.variables.isAmbiguous(name)) {
            throw refused(
                    "#" + name + " is the name of one parameter and the position of another", "Rename the parameter.");
        }
    }

    private void checkChain(SpelNode chain, String variable) {
        if (variable.equals("root")) {
            checkRoot(chain.getChild(1));
        } else {
            new KeyProperties(this.site, this.expression, this.variables).check(chain, variable);
        }
    }

    private void checkRoot(SpelNode property) {
        boolean known = property instanceof PropertyOrFieldReference named && ROOT_PROPERTIES.contains(named.getName());
        if (!known) {
            throw refused("#root has no " + property.toStringAST(), this.variables.describe());
        }
    }

    private void refuseBareWord(SpelNode node) {
        if (node instanceof PropertyOrFieldReference property) {
            BareWords all = BareWords.in(this.ast, this.expression, this.variables, ROOT_PROPERTIES);
            throw refused("'" + property.getName() + "' is no variable", all.remedyFor(property));
        }
        if (node instanceof MethodReference method) {
            String call = method.toStringAST();
            throw refused(
                    "there is nothing to call " + call + " on",
                    "Call it on a parameter, on the bean itself (#root.target." + call + ") or on another bean"
                            + " (@name." + call + ").");
        }
        if (node instanceof Indexer || node instanceof Selection || node instanceof Projection) {
            throw refused(
                    "there is nothing that " + node.toStringAST() + " could be part of",
                    variables().describe());
        }
    }

    private InvalidLockDefinitionException refused(String problem, String remedy) {
        return this.site.refused("in key = \"" + this.expression + "\", " + problem, remedy);
    }
}

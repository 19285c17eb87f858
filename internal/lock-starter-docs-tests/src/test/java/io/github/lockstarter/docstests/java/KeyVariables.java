package io.github.lockstarter.docstests.java;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.TreeScanner;
import io.github.lockstarter.docstests.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The variables in keys and conditions of annotated methods are parameters of these methods. */
final class KeyVariables extends TreeScanner<Void, MethodTree> {

    private static final Set<String> ANNOTATIONS = Set.of("DistributedLock", "DistributedSemaphore");

    private static final Set<String> EXPRESSIONS = Set.of("key", "value", "condition");

    private static final Pattern VARIABLE = Pattern.compile("#(?!root\\b|this\\b|[ap]\\d)(\\w+)");

    private final Snippet snippet;

    private final List<Problem> problems = new ArrayList<>();

    private KeyVariables(Snippet snippet) {
        this.snippet = snippet;
    }

    static List<Problem> problems(Snippet snippet, CompilationUnitTree tree) {
        KeyVariables scanner = new KeyVariables(snippet);
        scanner.scan(tree, null);
        return scanner.problems;
    }

    @Override
    public Void visitMethod(MethodTree method, MethodTree outer) {
        scan(method.getModifiers(), method);
        return scan(method.getBody(), null);
    }

    @Override
    public Void visitAnnotation(AnnotationTree annotation, MethodTree method) {
        if (method != null
                && ANNOTATIONS.contains(annotation.getAnnotationType().toString())) {
            annotation.getArguments().forEach(argument -> check(argument, method));
        }
        return super.visitAnnotation(annotation, method);
    }

    private void check(ExpressionTree argument, MethodTree method) {
        if (argument instanceof AssignmentTree assignment
                && EXPRESSIONS.contains(assignment.getVariable().toString())
                && assignment.getExpression() instanceof LiteralTree text) {
            List<String> parameters = method.getParameters().stream()
                    .map(parameter -> parameter.getName().toString())
                    .toList();
            VARIABLE.matcher(String.valueOf(text.getValue()))
                    .results()
                    .map(MatchResult::group)
                    .filter(variable -> !parameters.contains(variable.substring(1)))
                    .forEach(variable -> this.problems.add(Problem.at(
                            this.snippet.page(),
                            this.snippet.fence().line(),
                            variable + " is no parameter of " + method.getName() + parameters)));
        }
    }
}

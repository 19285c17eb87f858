package io.github.lockstarter.key;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.ResolvableType;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.ClassUtils;

/**
 * Parses an expression and checks its names and operations at start-up. SpEL does not report an unknown variable but
 * evaluates it to null, so that calls would fail, share one lock, or run without it.
 *
 * <p>Its variables are the parameters of the method, by name and by position, and {@code #root}.
 */
final class ExpressionSyntax {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    /** An instance of our own: the one that Spring shares exists only since Spring Framework 7. */
    private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

    private static final Pattern VARIABLE = Pattern.compile("#(\\w+)");

    /** An expression in the delimiters of a template, which SpEL does not accept here. */
    private static final Pattern TEMPLATE = Pattern.compile("^\\s*#\\{((?:(?!#\\{).)*)}\\s*$");

    private static final Members MEMBERS = new Members();

    private final ExpressionSite site;

    private final String attribute;

    private final String text;

    /** The indexes of the parameters: each has the names {@code a0}, {@code p0}, and its own if that is known. */
    private final Map<String, Integer> parameters = new HashMap<>();

    private final Map<String, Integer> used = new HashMap<>();

    /** Whether the part that has been checked has neither variables nor beans. */
    private boolean isConstant = true;

    /** A sentence that lists all variables. */
    private final String variables;

    /**
     * Creates the syntax of one expression.
     *
     * @param attribute name of the attribute
     * @param text the expression as it is written
     * @param annotated the element that carries the annotation. If it is an overridden method, the expression uses the
     *     parameter names of that method
     */
    ExpressionSyntax(ExpressionSite site, String attribute, String text, @Nullable Object annotated) {
        this.site = site;
        this.attribute = attribute;
        this.text = text;
        Method method = site.method();
        @Nullable String[] found = annotated instanceof Method declared ? DISCOVERER.getParameterNames(declared) : null;
        @Nullable String[] names = found != null ? found : DISCOVERER.getParameterNames(method);
        // The last parameter of a suspend function is not declared by its author.
        int count = method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
        StringBuilder known = new StringBuilder("Use one of the available variables: ");
        for (int i = 0; i < count; i++) {
            String name = names != null ? names[i] : null;
            this.parameters.put("a" + i, i);
            this.parameters.put("p" + i, i);
            if (name != null) {
                this.parameters.put(name, i);
            }
            known.append(name != null ? '#' + name + " (#a" + i + "), " : "#a" + i + ", ");
        }
        known.append("#root.method, #root.target.");
        boolean unnamed = names == null && count > 0;
        this.variables = known + (unnamed ? " The class has no parameter names; compile it with -parameters." : "");
    }

    /** Returns whether the text, if it is not evaluated, contains <code>#{…}</code> or a variable by mistake. */
    boolean isExpression() {
        return this.text.contains("#{")
                || VARIABLE.matcher(this.text).results().anyMatch(variable -> isKnown(variable.group(1)));
    }

    private boolean isKnown(String variable) {
        return this.parameters.containsKey(variable) || variable.equals("root");
    }

    /** Returns the indexes of the parameters that the parsed expression uses, by the names in it. */
    Map<String, Integer> used() {
        return this.used;
    }

    /** Returns the expression, which is usable. */
    SpelExpression parse() {
        if (this.text.isBlank()) {
            throw rejection("it is blank", "Remove the attribute " + this.attribute + ", or name a parameter.", null);
        }
        if (this.text.contains("${")) {
            throw rejection(
                    "placeholders are not resolved",
                    "Write @environment.getProperty('name') to read a property. Placeholders belong in the attribute name.",
                    null);
        }
        SpelExpression expression;
        try {
            expression = PARSER.parseRaw(this.text);
        } catch (ParseException | IllegalStateException | IllegalArgumentException ex) {
            String meant = TEMPLATE.matcher(this.text).replaceFirst("$1");
            throw rejection(
                    "it is not a SpEL expression: " + ex.getMessage(),
                    meant.equals(this.text)
                            ? "Quote texts, join them with +, and remove #{ and }: \"'text-' + #a0\"."
                            : "Remove #{ and }: " + this.attribute + " = \"" + meant + "\".",
                    ex);
        }
        check(expression.getAST(), true, false);
        return expression;
    }

    /**
     * Checks a node and the nodes below it.
     *
     * @param head whether the node is at the start of a property path and not behind a dot
     * @param inElement whether the start of a path is read from an element of a selection or projection
     */
    private void check(SpelNode node, boolean head, boolean inElement) {
        rejectForbidden(node);
        this.isConstant &= !(node instanceof VariableReference || node instanceof BeanReference);
        if (node instanceof VariableReference) {
            String name = nameOf(node);
            if (!isKnown(name) && !(inElement && name.equals("this"))) {
                throw rejection("there is not a variable #" + name, this.variables, null);
            }
            this.used.computeIfAbsent(name, this.parameters::get);
        }
        if (head && !inElement && isMember(node)) {
            throw rejection(
                    node.toStringAST() + " does not belong to a variable",
                    "Variables begin with #, beans with @, and texts are quoted or belong in name. " + this.variables,
                    null);
        }
        boolean elements = node instanceof Selection || node instanceof Projection;
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean behindDot = node instanceof CompoundExpression && i > 0;
            check(node.getChild(i), !behindDot, inElement || elements);
        }
        if (node instanceof CompoundExpression && node.getChild(0) instanceof VariableReference) {
            ResolvableType unused = typeOf(node, null);
        }
    }

    /**
     * Returns the declared type of a variable, or of a path that begins with a variable or a bean, and checks the
     * members of a path that begins with a variable.
     *
     * @param beans null if the types of beans are unknown
     * @return {@link ResolvableType#NONE} if it cannot be determined
     */
    private ResolvableType typeOf(SpelNode node, @Nullable BeanFactory beans) {
        if (node instanceof VariableReference) {
            return typeOf(nameOf(node));
        }
        if (node instanceof BeanReference) {
            String name = nameOf(node).replaceAll("^'|'$", "");
            return ResolvableType.forClass(
                    beans != null && beans.containsBean(name) ? beans.getType(name, false) : null);
        }
        if (!(node instanceof CompoundExpression)) {
            return ResolvableType.NONE;
        }
        Class<?> type = typeOf(node.getChild(0), beans).resolve(Object.class);
        boolean isCertain = node.getChild(0) instanceof VariableReference;
        for (int i = 1; i < node.getChildCount(); i++) {
            type = ClassUtils.resolvePrimitiveIfNecessary(type);
            // A subclass may have more members.
            isCertain &= Modifier.isFinal(type.getModifiers());
            type = typeOfMember(type, node.getChild(i), isCertain);
        }
        return ResolvableType.forClass(type);
    }

    /**
     * Checks what a key is made of.
     *
     * @param beans null if the types of beans are unknown
     * @return the doubt, see {@link CallExpression#doubt()}
     */
    @Nullable
    String checkKey(SpelNode key, @Nullable BeanFactory beans) {
        if (key instanceof StringLiteral) {
            throw rejection(
                    "it is one text, so that all calls would share one lock",
                    isExpression()
                            ? "Write variables outside of quotes: \"#a0\", or \"'text-' + #a0\"."
                            : "Remove the attribute key: the lock is then that of the name, which can be this text.",
                    null);
        }
        return this.isConstant
                ? "The key \"" + this.text
                        + "\" is the same for all calls, which share one lock. Use a parameter in it, or"
                        + " remove it."
                : doubtOf(key, beans);
    }

    private @Nullable String doubtOf(SpelNode node, @Nullable BeanFactory beans) {
        if (node instanceof OpPlus || node instanceof Ternary || node instanceof Elvis || node instanceof InlineList) {
            String doubt = null;
            for (int i = node instanceof Ternary ? 1 : 0; i < node.getChildCount(); i++) {
                String found = doubtOf(node.getChild(i), beans);
                doubt = doubt != null ? doubt : found;
            }
            return doubt;
        }
        ResolvableType declared = typeOf(node, beans);
        boolean isSeveral = Collection.class.isAssignableFrom(declared.resolve(Object.class));
        Class<?> type = (isSeveral ? declared.asCollection().getGeneric() : declared).resolve(Object.class);
        String path = node.toStringAST();
        boolean contains = declared.isArray() || type.getPackageName().equals("java.util");
        Class<?> later = contains ? DeferredTypes.within(declared, false) : null;
        if (later != null || StableText.isDeferred(type)) {
            throw rejection(
                    path + (later != null ? " contains a " + later.getSimpleName() : " is a " + type.getSimpleName())
                            + ", which is no value but supplies one later",
                    "Use the value itself: have it as a parameter of the method.",
                    null);
        }
        boolean hasId;
        try {
            hasId = !MEMBERS.typesOf("id", type).isEmpty();
            if (StableText.isPlain(type) || (type.isRecord() && !hasId)) {
                return null;
            }
        } catch (LinkageError ex) {
            return null;
        }
        return "The key \"" + this.text + "\" uses the whole text of " + path + ", a " + type.getTypeName()
                + ". If that text shows anything that changes, one object has several locks. Use a property that"
                + " identifies it: "
                + (hasId ? path + (isSeveral ? ".![id]" : ".id") : "one of " + methodsOf(type))
                + ", or toString() if the text is meant.";
    }

    private void rejectForbidden(SpelNode node) {
        if (node instanceof TypeReference
                || node instanceof ConstructorReference
                || node instanceof FunctionReference) {
            throw rejection(
                    "T(…), new and functions are not allowed",
                    "Call a method of a parameter or of a bean (@name) instead.",
                    null);
        }
        if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
            throw rejection("it must not change anything", "Remove assignments, ++ and --.", null);
        }
    }

    private static boolean isMember(SpelNode node) {
        return node instanceof PropertyOrFieldReference
                || node instanceof MethodReference
                || node instanceof Indexer
                || node instanceof Selection
                || node instanceof Projection;
    }

    private static String nameOf(SpelNode variable) {
        return variable.toStringAST().substring(1);
    }

    /**
     * Returns the declared type of the member that a path reads next; {@code Object} if it cannot be determined.
     *
     * @param isRequired whether a missing member is rejected
     */
    private Class<?> typeOfMember(Class<?> type, SpelNode member, boolean isRequired) {
        boolean isMethod = member instanceof MethodReference;
        String name = member instanceof MethodReference method
                ? method.getName()
                : member instanceof PropertyOrFieldReference property ? property.getName() : null;
        if (name == null || type.isArray() || isSpecial(type, member)) {
            return Object.class;
        }
        try {
            List<Class<?>> types = isMethod ? typesOfMethods(type, name) : MEMBERS.typesOf(name, type);
            if (types.isEmpty() && isRequired) {
                throw unknown(type, isMethod ? "method" : "property", name);
            }
            return types.size() == 1 ? types.get(0) : Object.class;
        } catch (LinkageError ex) {
            // The type refers to a missing class, which the expression itself may not need.
            return Object.class;
        }
    }

    /** SpEL reads the static members of a class and, depending on its version, the content of an Optional. */
    private static boolean isSpecial(Class<?> type, SpelNode member) {
        return type == Class.class
                || (type == Optional.class && member instanceof SpelNodeImpl navigation && navigation.isNullSafe());
    }

    private ResolvableType typeOf(String variable) {
        Integer index = this.parameters.get(variable);
        if (index == null) {
            return variable.equals("root") ? ResolvableType.forClass(CallRoot.class) : ResolvableType.NONE;
        }
        return ResolvableType.forMethodParameter(this.site.method(), index, this.site.beanClass());
    }

    private static List<Class<?>> typesOfMethods(Class<?> type, String name) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(name))
                .<Class<?>>map(Method::getReturnType)
                .distinct()
                .toList();
    }

    private static String methodsOf(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method ->
                        method.getDeclaringClass() != Object.class && !Modifier.isStatic(method.getModifiers()))
                .map(Method::getName)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private RuntimeException unknown(Class<?> type, String kind, String name) {
        return rejection(
                type.getTypeName() + " has no public " + kind + " '" + name + "'",
                "Use one of the methods of that type: " + methodsOf(type) + ".",
                null);
    }

    private RuntimeException rejection(String problem, String remedy, @Nullable Throwable cause) {
        return this.site.rejection("in " + this.attribute + " = \"" + this.text + "\", " + problem, remedy, cause);
    }

    /** Finds the properties that an expression can read, by the rules of the version of SpEL that evaluates it. */
    private static final class Members extends ReflectivePropertyAccessor {

        /** Returns the type of the property; empty if there is no such property. */
        List<Class<?>> typesOf(String property, Class<?> type) {
            Method getter = findGetterForProperty(property, type, false);
            return getter != null
                    ? List.of(getter.getReturnType())
                    : Stream.ofNullable(findField(property, type, false))
                            .<Class<?>>map(Field::getType)
                            .toList();
        }
    }
}

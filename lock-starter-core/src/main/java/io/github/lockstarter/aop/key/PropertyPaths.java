package io.github.lockstarter.aop.key;

import io.github.lockstarter.text.LockLog;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.util.ClassUtils;

/**
 * Checks property paths that begin at a parameter, such as {@code #order.customer.id} or {@code #orders.![id]}, at start-up
 * and as far as their types are known. A property that a record or another final class does not have is rejected. A class
 * that is not final may have subclasses with that property.
 */
final class PropertyPaths {

    private static final LockLog logger = LockLog.of(PropertyPaths.class);

    /** The type of the value is not known. */
    private static final ResolvableType UNKNOWN = ResolvableType.NONE;

    private final SpelAttribute attribute;

    private final ReadableMembers members = new ReadableMembers();

    PropertyPaths(SpelAttribute attribute) {
        this.attribute = attribute;
    }

    /**
     * Checks a path whose first child is a parameter.
     *
     * @return the type of the value that the path reads; {@link ResolvableType#NONE} if it is not known
     */
    ResolvableType check(SpelNode path, String parameter) {
        int index = this.attribute.variables().indexOfParameter(parameter);
        if (index < 0) {
            return UNKNOWN;
        }
        ExpressionSite site = this.attribute.site();
        try {
            return follow(path, 1, ResolvableType.forMethodParameter(site.method(), index, site.beanClass()));
        } catch (LinkageError ex) {
            // A type on the path refers to a missing class, which the expression itself may not need.
            logger.debug(
                    "Properties in " + this.attribute.with(this.attribute.text()) + " of " + site
                            + " cannot be checked",
                    ex);
            return UNKNOWN;
        }
    }

    private ResolvableType follow(SpelNode path, int from, ResolvableType start) {
        ResolvableType type = start;
        for (int i = from; i < path.getChildCount(); i++) {
            type = next(path.getChild(i), type);
        }
        return type;
    }

    private ResolvableType next(SpelNode node, ResolvableType type) {
        Class<?> raw = type.resolve();
        // SpEL reads the static members of a Class.
        if (raw == null || raw == void.class || raw == Class.class) {
            return UNKNOWN;
        }
        if (raw == Optional.class && node instanceof SpelNodeImpl navigation && navigation.isNullSafe()) {
            // Spring 7 reads the content of the Optional, earlier versions read the Optional.
            return hasMember(raw, node) ? UNKNOWN : next(node, type.getGeneric());
        }
        return next(node, type, ClassUtils.resolvePrimitiveIfNecessary(raw));
    }

    private boolean hasMember(Class<?> raw, SpelNode node) {
        return node instanceof PropertyOrFieldReference property
                ? this.members.getter(property.getName(), raw) != null
                : node instanceof MethodReference method
                        && !ReadableMembers.methods(method.getName(), raw).isEmpty();
    }

    private ResolvableType next(SpelNode node, ResolvableType type, Class<?> raw) {
        if (node instanceof PropertyOrFieldReference property) {
            return property(property.getName(), property.getStartPosition(), type, raw);
        }
        if (node instanceof MethodReference method) {
            return method(method, type, raw);
        }
        if (node instanceof Indexer) {
            return element(node.getChild(0), type, raw);
        }
        if (node instanceof Projection) {
            ResolvableType projected = new ElementExpression(this::next).check(node.getChild(0), elements(type, raw));
            return raw.isArray() ? UNKNOWN : listOf(projected);
        }
        return node instanceof Selection ? selection(node, type, raw) : UNKNOWN;
    }

    private ResolvableType selection(SpelNode node, ResolvableType type, Class<?> raw) {
        ResolvableType element = elements(type, raw);
        ResolvableType unused = new ElementExpression(this::next).check(node.getChild(0), element);
        if (Map.class.isAssignableFrom(raw)) {
            return type;
        }
        boolean all = node.toStringAST().startsWith("?[");
        return !all ? element : raw.isArray() ? type : listOf(element);
    }

    private static ResolvableType listOf(ResolvableType element) {
        return element.equals(UNKNOWN) ? UNKNOWN : ResolvableType.forClassWithGenerics(List.class, element);
    }

    /** Returns the type of the elements to which a selection or projection applies. */
    private static ResolvableType elements(ResolvableType type, Class<?> raw) {
        if (Map.class.isAssignableFrom(raw)) {
            ResolvableType map = type.as(Map.class);
            return ResolvableType.forClassWithGenerics(Map.Entry.class, map.getGeneric(0), map.getGeneric(1));
        }
        return raw.isArray() ? type.getComponentType() : type.as(Iterable.class).getGeneric();
    }

    private ResolvableType property(String name, int position, ResolvableType type, Class<?> raw) {
        if (raw.isArray() && name.equals("length")) {
            return ResolvableType.forClass(int.class);
        }
        Method getter = this.members.getter(name, raw);
        if (getter != null) {
            // A subclass may have a getter, which takes precedence over other accessors and may return any type.
            return isFinal(raw) || getter.getName().startsWith("get") ? result(getter, type) : UNKNOWN;
        }
        Field field = this.members.field(name, raw);
        if (field == null && isFinal(raw)) {
            throw rejection(raw, "property", name, position, this.members.properties(raw));
        }
        return field != null && isFinal(raw) ? ResolvableType.forField(field, type) : UNKNOWN;
    }

    private ResolvableType method(MethodReference node, ResolvableType type, Class<?> raw) {
        Set<Method> all = ReadableMembers.methods(node.getName(), raw);
        if (all.isEmpty() && isFinal(raw)) {
            throw rejection(raw, "method", node.getName(), node.getStartPosition(), ReadableMembers.methodNames(raw));
        }
        boolean withoutArguments = node.getChildCount() == 0;
        for (Method method : all) {
            if (withoutArguments ? method.getParameterCount() == 0 : all.size() == 1 && isKnown(raw)) {
                return result(method, type);
            }
        }
        return UNKNOWN;
    }

    private ResolvableType element(SpelNode index, ResolvableType type, Class<?> raw) {
        if (Map.class.isAssignableFrom(raw)) {
            return type.as(Map.class).getGeneric(1);
        }
        if (Collection.class.isAssignableFrom(raw)) {
            return type.as(Collection.class).getGeneric(0);
        }
        if (raw.isArray()) {
            return type.getComponentType();
        }
        if (raw == String.class) {
            return type;
        }
        Object name = index instanceof StringLiteral literal
                ? literal.getLiteralValue().getValue()
                : null;
        return name != null ? property(name.toString(), index.getStartPosition() + 1, type, raw) : UNKNOWN;
    }

    /** Returns the return type of a method, with type variables resolved against the owner. */
    private static ResolvableType result(Method method, ResolvableType owner) {
        return ResolvableType.forType(method.getGenericReturnType(), owner.as(method.getDeclaringClass()));
    }

    /** Returns whether no value of that type has other methods of the same name, such as {@code List.get}. */
    private static boolean isKnown(Class<?> type) {
        return isFinal(type) || type.getPackageName().equals("java.util");
    }

    private static boolean isFinal(Class<?> type) {
        return Modifier.isFinal(type.getModifiers());
    }

    private RuntimeException rejection(
            Class<?> type, String kind, String name, int position, Collection<String> known) {
        String nearest = NearestName.of(name, known);
        String remedy = nearest != null ? "Did you mean " + corrected(name, position, nearest) + "? " : "";
        return this.attribute.rejection(
                type.getTypeName() + " has no public " + kind + " '" + name + "'",
                remedy + "It has: " + String.join(", ", known) + ".");
    }

    private String corrected(String name, int position, String nearest) {
        String expression = this.attribute.text();
        return expression.substring(0, position) + nearest + expression.substring(position + name.length());
    }
}

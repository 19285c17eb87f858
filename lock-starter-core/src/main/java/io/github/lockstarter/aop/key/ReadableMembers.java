package io.github.lockstarter.aop.key;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/** Finds the members that an expression can read, by the rules of the version of SpEL that evaluates it. */
final class ReadableMembers extends ReflectivePropertyAccessor {

    /** Returns the getter or the record-style accessor of a property; null if there is none. */
    @Nullable
    Method getter(String property, Class<?> type) {
        return findGetterForProperty(property, type, false);
    }

    /** Returns the public field of that name; null if there is none. */
    @Nullable
    Field field(String property, Class<?> type) {
        return findField(property, type, false);
    }

    /** Returns the public methods of that name, without bridge methods. */
    static Set<Method> methods(String name, Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(name) && !method.isBridge())
                .collect(Collectors.toSet());
    }

    /** Returns the names of the public instance methods, without those of Object, for messages. */
    static Collection<String> methodNames(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !isOfObject(method))
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Returns names for messages: the components of a record in order, then properties and fields, then other methods.
     */
    Collection<String> properties(Class<?> type) {
        Set<String> names = new LinkedHashSet<>();
        for (Field field : type.isRecord() ? type.getDeclaredFields() : new Field[0]) {
            if (!Modifier.isStatic(field.getModifiers())) {
                names.add(field.getName());
            }
        }
        Set<String> properties = new TreeSet<>();
        Set<String> others = new TreeSet<>();
        for (Method method : type.getMethods()) {
            if (method.getParameterCount() == 0
                    && method.getReturnType() != void.class
                    && !Modifier.isStatic(method.getModifiers())
                    && !isOfObject(method)) {
                String property = property(method);
                (property != null ? properties : others).add(property != null ? property : method.getName());
            }
        }
        for (Field field : type.getFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                properties.add(field.getName());
            }
        }
        if (type.isArray()) {
            properties.add("length");
        }
        names.addAll(properties);
        names.addAll(others);
        return names;
    }

    private static @Nullable String property(Method method) {
        String name = method.getName();
        Class<?> result = method.getReturnType();
        int prefix = name.startsWith("get")
                ? 3
                : name.startsWith("is") && (result == boolean.class || result == Boolean.class) ? 2 : 0;
        return prefix > 0 && name.length() > prefix ? StringUtils.uncapitalizeAsProperty(name.substring(prefix)) : null;
    }

    private static boolean isOfObject(Method method) {
        return method.getDeclaringClass() == Object.class || ReflectionUtils.isObjectMethod(method);
    }
}

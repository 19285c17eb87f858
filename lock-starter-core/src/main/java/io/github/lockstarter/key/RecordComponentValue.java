package io.github.lockstarter.key;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A component of a record with the value of its field, which the generated {@code toString()} prints, too; an accessor
 * may return another value.
 */
record RecordComponentValue(String name, @Nullable Object value) {

    private static final ClassValue<List<Component>> COMPONENTS = new ClassValue<>() {
        @Override
        protected List<Component> computeValue(Class<?> type) {
            return type.isRecord() ? componentsOf(type) : List.of();
        }
    };

    /** Returns the readable components of a record; empty for any other value. */
    static List<RecordComponentValue> of(Object value) {
        List<Component> components = COMPONENTS.get(value.getClass());
        if (components.isEmpty()) {
            return List.of();
        }
        List<RecordComponentValue> values = new ArrayList<>(components.size());
        for (Component component : components) {
            values.add(new RecordComponentValue(component.name(), component.read(value)));
        }
        return values;
    }

    /**
     * Reads the fields, because {@code getRecordComponents} throws an error in a native image without hints for all of
     * them.
     */
    private static List<Component> componentsOf(Class<?> type) {
        List<Component> components = new ArrayList<>();
        try {
            for (Field field : type.getDeclaredFields()) {
                AccessibleObject readable = Modifier.isStatic(field.getModifiers()) ? null : readable(type, field);
                if (readable != null) {
                    components.add(new Component(field.getName(), readable));
                }
            }
        } catch (LinkageError ex) {
            // The class of a component is missing; the text of the record is still checked.
            return List.of();
        }
        return List.copyOf(components);
    }

    /** Returns the field or else the accessor; null if the module of the record opens neither. */
    private static @Nullable AccessibleObject readable(Class<?> type, Field field) {
        if (field.trySetAccessible()) {
            return field;
        }
        try {
            Method accessor = type.getMethod(field.getName());
            return accessor.trySetAccessible() ? accessor : null;
        } catch (NoSuchMethodException ex) {
            return null;
        }
    }

    private record Component(String name, AccessibleObject member) {

        @Nullable
        Object read(Object record) {
            try {
                return this.member instanceof Field field ? field.get(record) : ((Method) this.member).invoke(record);
            } catch (IllegalAccessException | InvocationTargetException ex) {
                return null;
            }
        }
    }
}

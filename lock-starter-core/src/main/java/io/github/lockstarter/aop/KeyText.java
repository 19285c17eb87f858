package io.github.lockstarter.aop;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Text of a key or of a part of it. It must be the same in every JVM for equal values: otherwise nobody would exclude
 * anybody, and nobody would notice.
 */
final class KeyText {

    private static final String REMEDY = "Use a property of it that has a stable text, such as an id.";

    private static final ClassValue<Kind> KINDS = new ClassValue<>() {
        @Override
        protected Kind computeValue(Class<?> type) {
            return kindOf(type);
        }
    };

    private KeyText() {}

    /** Text of the whole key. */
    static String of(@Nullable Object value) {
        if (value == null) {
            throw new Unusable("is null: every call without a value would share one lock. Refuse such calls before.");
        }
        String text = ofPart(value);
        if (text.isBlank()) {
            throw new Unusable("is blank: every call without a value would share one lock. Refuse such calls before.");
        }
        return text;
    }

    /** Texts of several keys, of which a call takes all locks. */
    static Collection<String> ofEach(Collection<?> values) {
        if (values.isEmpty()) {
            throw new Unusable("is an empty collection: nothing would be locked. Refuse such calls before.");
        }
        Set<String> texts = new LinkedHashSet<>();
        int number = 0;
        for (Object value : values) {
            number++;
            try {
                texts.add(of(value));
            } catch (Unusable ex) {
                throw new Unusable("gave several keys, of which number " + number + " of " + values.size() + " "
                        + ex.getMessage());
            }
        }
        return texts;
    }

    /** Text of something that is joined with other text; may be blank. */
    static String ofPart(Object value) {
        if (value instanceof String text) {
            return text;
        }
        Class<?> type = value.getClass();
        return switch (KINDS.get(type)) {
            case STABLE -> value.toString();
            case ENUM -> ((Enum<?>) value).name();
            case OVERRIDES_TO_STRING -> withoutIdentity(value);
            case COLLECTION ->
                throw unusable(type, ", and only a whole key can be several: return a java.util.Collection.");
            case OPTIONAL -> throw unusable(type, ". Use what it contains: .orElseThrow().");
            case UNSTABLE -> throw unusable(type, ", whose text differs between JVMs. " + REMEDY);
        };
    }

    /** A toString that is overridden may still print what Object's does. */
    private static String withoutIdentity(Object value) {
        String text = value.toString();
        if (text == null || text.contains('@' + Integer.toHexString(System.identityHashCode(value)))) {
            throw unusable(value.getClass(), ", whose text \"" + text + "\" differs between JVMs. " + REMEDY);
        }
        return text;
    }

    private static Unusable unusable(Class<?> type, String why) {
        return new Unusable("gave a value of type " + type.getTypeName() + why);
    }

    private static Kind kindOf(Class<?> type) {
        if (Enum.class.isAssignableFrom(type)) {
            return Kind.ENUM;
        }
        if (isOneOf(type, Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class)) {
            return Kind.OPTIONAL;
        }
        if (Iterable.class.isAssignableFrom(type)) {
            return Kind.COLLECTION;
        }
        if (type.isArray()
                || isOneOf(type, Map.class, Future.class, CompletionStage.class)
                || !overridesToString(type)) {
            return Kind.UNSTABLE;
        }
        boolean stable = isOneOf(type, Number.class, CharSequence.class, Boolean.class, Character.class, UUID.class)
                || type.getPackageName().equals("java.time");
        return stable ? Kind.STABLE : Kind.OVERRIDES_TO_STRING;
    }

    private static boolean overridesToString(Class<?> type) {
        try {
            return type.getMethod("toString").getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException ex) {
            // A native image knows only the methods it was told of; the text itself is looked at instead.
            return true;
        }
    }

    private static boolean isOneOf(Class<?> type, Class<?>... candidates) {
        for (Class<?> candidate : candidates) {
            if (candidate.isAssignableFrom(type)) {
                return true;
            }
        }
        return false;
    }

    private enum Kind {
        STABLE,
        OVERRIDES_TO_STRING,
        ENUM,
        OPTIONAL,
        COLLECTION,
        UNSTABLE
    }

    /** A value that cannot be a key; the message goes on where "Key … of …" ends. */
    static final class Unusable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Unusable(String message) {
            super(message);
        }
    }
}

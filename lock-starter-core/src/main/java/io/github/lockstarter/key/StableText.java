package io.github.lockstarter.key;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Converts values to texts that are the same in every JVM. Values whose text may differ are rejected, because two
 * instances of an application would silently use different locks for the same value. Thread-safe.
 *
 * <p>The type decides, see {@link Kind#of}: a class that overrides {@code toString} is trusted. Records are checked
 * component by component, and the lists in them element by element.
 */
public final class StableText {

    private static final String REMEDY = "Use a property of it that has a stable text, such as an id.";

    private static final String DIFFERS = ", whose text differs between JVMs. " + REMEDY;

    private static final String SEVERAL =
            ", which is several values. Only a whole key of @DistributedLock can be several:"
                    + " let its expression return a java.util.Collection.";

    private static final String ORDER = ", whose order may differ between JVMs. " + REMEDY;

    private static final String ARRAY =
            ", which is an array, whose text differs between JVMs. For several keys, return a"
                    + " List; otherwise use a property that has a stable text, such as an id.";

    private static final String OPTIONAL = ". Use what it contains: .orElseThrow().";

    private static final String DATE =
            ", whose text depends on the time zone of the JVM. Use its milliseconds or a value of java.time.";

    private static final String TIME_ZONE =
            ", whose text depends on the time zone rules of the JDK. Use its id, or a java.time.ZoneId.";

    private static final String ADDRESS =
            ", whose text depends on whether its host name has been looked up. Use its host address.";

    private static final String DEFERRED =
            ", which is no value but supplies one later. Use that value: have it as a parameter of the method.";

    private static final String TOO_DEEP = ", which contains itself or is nested too deeply to have a text. " + REMEDY;

    private static final String UNREADABLE = ", whose component cannot be read. " + REMEDY;

    private static final String NULL_TEXT = ", whose text is null. " + REMEDY;

    /** Keys are flat; what is deeper contains itself in all likelihood. */
    private static final int MAX_DEPTH = 32;

    private static final ClassValue<Kind> KINDS = new ClassValue<>() {
        @Override
        protected Kind computeValue(Class<?> type) {
            return Kind.of(type);
        }
    };

    private StableText() {}

    /**
     * Returns the text of a value that is a whole key, or a part of one, which may be blank.
     *
     * @param value not null
     * @throws UnstableTextException if the text may differ between JVMs, or the value is a collection
     */
    public static String of(Object value) {
        // Most keys are texts.
        if (value instanceof String text) {
            return text;
        }
        Kind kind = KINDS.get(value.getClass());
        if (kind == Kind.ENUM) {
            return ((Enum<?>) value).name();
        }
        if (kind.reasonAlone != null) {
            throw new UnstableTextException(value, value, kind.reasonAlone);
        }
        return ofPrinted(value);
    }

    /**
     * Returns the text of a value as {@code toString()} prints it into a longer text; it may be that of a collection.
     *
     * @param value not null
     * @throws UnstableTextException if the text may differ between JVMs
     */
    static String ofPrinted(Object value) {
        try {
            check(value, value, 0);
            String text = value.toString();
            if (text == null) {
                throw new UnstableTextException(value, value, NULL_TEXT);
            }
            if (text.contains('@' + Integer.toHexString(System.identityHashCode(value)))) {
                throw new UnstableTextException(value, value, DIFFERS);
            }
            return text;
        } catch (StackOverflowError ex) {
            // Thrown by the toString() of a value that contains itself.
            throw new UnstableTextException(value, value, TOO_DEEP);
        }
    }

    /** Returns whether values of the type are only computed later, and so are rejected. */
    static boolean isDeferred(Class<?> type) {
        return KINDS.get(type) == Kind.DEFERRED;
    }

    /**
     * Returns whether the text of such a value is certainly that of an identifier: values of the JDK, and classes that
     * wrap one value or have an order. The text of an entity may show what changes.
     */
    static boolean isPlain(Class<?> type) {
        boolean isWrapper = (type.getSuperclass() == Object.class || type.isRecord())
                && Arrays.stream(type.getDeclaredFields())
                                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                                .count()
                        == 1;
        return isWrapper
                || type.isPrimitive()
                || type.isArray()
                || type.getName().startsWith("java.")
                || Number.class.isAssignableFrom(type)
                || CharSequence.class.isAssignableFrom(type)
                || Comparable.class.isAssignableFrom(type);
    }

    /**
     * Checks a part of a value: the value itself, or something that it contains.
     *
     * @throws UnstableTextException if the text of the part may differ between JVMs
     */
    private static void check(@Nullable Object part, Object value, int depth) {
        if (part == null) {
            return;
        }
        Kind kind = KINDS.get(part.getClass());
        String reason = depth > MAX_DEPTH ? TOO_DEEP : kind.reasonInside;
        if (reason != null) {
            throw new UnstableTextException(value, part, reason);
        }
        if (kind == Kind.ORDERED) {
            ((Iterable<?>) part).forEach(element -> check(element, value, depth + 1));
        } else if (part instanceof Optional<?> some) {
            check(some.orElse(null), value, depth + 1);
        } else if (kind == Kind.RECORD) {
            // In a native image, getRecordComponents() fails without hints for the type.
            for (Field field : part.getClass().getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    check(component(part, field.getName(), value), value, depth + 1);
                }
            }
        }
    }

    private static @Nullable Object component(Object part, String name, Object value) {
        try {
            Method accessor = part.getClass().getMethod(name);
            accessor.trySetAccessible();
            return accessor.invoke(part);
        } catch (ReflectiveOperationException ex) {
            throw new UnstableTextException(value, part, UNREADABLE);
        }
    }

    /**
     * Whether the texts of a type's values are the same in every JVM: the reasons why not, as the end of a sentence,
     * for a value that is the whole key or a joined part, and for one within another value. The first kind that has
     * one of the types applies.
     */
    private enum Kind {
        ARRAY(StableText.ARRAY, DIFFERS),
        ENUM(null, null, Enum.class),
        RECORD(null, null, Record.class),
        DEFERRED(StableText.DEFERRED, StableText.DEFERRED),
        NO_TEXT(DIFFERS, DIFFERS),
        OPTIONAL(
                StableText.OPTIONAL, null, Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class),
        ORDERED(SEVERAL, null, List.class, Deque.class, SortedSet.class, EnumSet.class),
        UNORDERED(SEVERAL, ORDER, Collection.class),
        /** Has elements and overrides {@code toString}, but is no collection, such as a path. */
        ITERABLE(SEVERAL, null, Iterable.class),
        MAP(DIFFERS, ORDER, Map.class),
        ENTRY(DIFFERS, DIFFERS, Map.Entry.class),
        DATE(StableText.DATE, StableText.DATE, Date.class, Calendar.class),
        TIME_ZONE(StableText.TIME_ZONE, StableText.TIME_ZONE, TimeZone.class),
        ADDRESS(StableText.ADDRESS, StableText.ADDRESS, InetAddress.class, SocketAddress.class),
        OWN_TEXT(null, null, Object.class);

        private static final Kind[] ALL = values();

        private final @Nullable String reasonAlone;

        private final @Nullable String reasonInside;

        @SuppressWarnings("ImmutableEnumChecker") // List.of() is unmodifiable
        private final List<Class<?>> types;

        Kind(@Nullable String reasonAlone, @Nullable String reasonInside, Class<?>... types) {
            this.reasonAlone = reasonAlone;
            this.reasonInside = reasonInside;
            this.types = List.of(types);
        }

        static Kind of(Class<?> type) {
            for (Kind kind : ALL) {
                boolean fits = switch (kind) {
                    case ARRAY -> type.isArray();
                    case DEFERRED -> DeferredTypes.isPending(type) || DeferredTypes.isLazy(type);
                    case NO_TEXT -> !overridesToString(type);
                    default -> kind.types.stream().anyMatch(known -> known.isAssignableFrom(type));
                };
                if (fits) {
                    return kind;
                }
            }
            return OWN_TEXT;
        }

        private static boolean overridesToString(Class<?> type) {
            try {
                return type.getMethod("toString").getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException ex) {
                // A native image only has the methods that hints name; the text itself is checked then.
                return true;
            }
        }
    }
}

package io.github.lockstarter.key;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TimeZone;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Converts values to texts that are the same in every JVM. Values whose text may differ are rejected, because two
 * instances of an application would silently use different locks for the same value. Thread-safe.
 *
 * <p>The kind of a type decides, see {@link Kind#of}. Records are checked component by component and collections element by
 * element. A component counts only if the text of its record contains its text: a record whose {@code toString} prints its
 * id only has a stable text, whatever its other components are.
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

    private static final String TOO_LONG = ", whose text is too long to be checked. " + REMEDY;

    private static final String NULL_TEXT = ", whose text is null. " + REMEDY;

    /** The longest name of a lock, and so the longest key, has 512 bytes; a character has at least one. */
    private static final int MAX_KEY_LENGTH = 512;

    /** The longest text of a part of an expression, because the check of nested records takes quadratic time. */
    static final int MAX_PART_LENGTH = 65_536;

    private static final ClassValue<Kind> KINDS = new ClassValue<>() {
        @Override
        protected Kind computeValue(Class<?> type) {
            return Kind.of(type);
        }
    };

    private static final ClassValue<List<Component>> COMPONENTS = new ClassValue<>() {
        @Override
        protected List<Component> computeValue(Class<?> type) {
            return type.isRecord() ? Component.allOf(type) : List.of();
        }
    };

    /** The values that contain the one being checked, which are not checked again inside of themselves. */
    private final List<Object> around = new ArrayList<>();

    /** Whether the text may contain an identity hash; otherwise no text of a part does. */
    private final boolean mayHaveHash;

    private StableText(String text) {
        this.mayHaveHash = text.indexOf('@') >= 0;
    }

    /**
     * Returns the text of a value, which may be blank.
     *
     * @param value not null
     * @throws UnstableTextException if the text may differ between JVMs or is longer than 65,536 characters, or the value is a
     *     collection
     */
    public static String of(Object value) {
        return of(value, false);
    }

    /**
     * Returns the text of a value that is a whole key, which may be blank. A text that is longer than the name of a lock can be is
     * not checked, because the name is rejected; see {@link io.github.lockstarter.LockRequest#of(String, String)}.
     *
     * @param value not null
     * @throws UnstableTextException if the text may differ between JVMs, or the value is a collection
     */
    public static String ofKey(Object value) {
        // Most keys are texts.
        return value instanceof String text ? text : of(value, true);
    }

    /** Returns whether values of the type are only computed later, and so are rejected. */
    static boolean isDeferred(Class<?> type) {
        return KINDS.get(type) == Kind.DEFERRED;
    }

    /**
     * Returns whether the text of such a value is certainly that of an identifier: values of the JDK, and classes that wrap
     * one value or have an order. The text of an entity may show what changes.
     */
    static boolean isPlain(Class<?> type) {
        Kind kind = KINDS.get(type);
        boolean isWrapper = (type.getSuperclass() == Object.class || type.isRecord())
                && Arrays.stream(type.getDeclaredFields())
                                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                                .count()
                        == 1;
        return isWrapper
                || type.isPrimitive()
                || type.isArray()
                || kind == Kind.STABLE
                || kind == Kind.ENUM
                || type.getName().startsWith("java.")
                || Comparable.class.isAssignableFrom(type);
    }

    private static String of(Object value, boolean isKey) {
        if (value instanceof String text) {
            return text;
        }
        Kind kind = KINDS.get(value.getClass());
        if (kind == Kind.STABLE) {
            return value.toString();
        }
        if (kind == Kind.ENUM) {
            return ((Enum<?>) value).name();
        }
        if (kind.reasonAlone != null) {
            throw new UnstableTextException(value, Part.whole(value, kind.reasonAlone));
        }
        return checked(value, kind == Kind.ENTRY, isKey);
    }

    /**
     * Returns the text of a value as {@code toString()} prints it into a longer text; it may be that of a collection.
     *
     * @param value not null
     * @throws UnstableTextException if the text may differ between JVMs or is longer than 65,536 characters
     */
    static String ofPrinted(Object value) {
        return value instanceof String text ? text : checked(value, true, false);
    }

    private static String checked(Object value, boolean inside, boolean isKey) {
        try {
            String text = value.toString();
            if (text == null) {
                throw new UnstableTextException(value, Part.whole(value, NULL_TEXT));
            }
            if (isKey && text.length() > MAX_KEY_LENGTH) {
                return text;
            }
            if (text.length() > MAX_PART_LENGTH) {
                throw new UnstableTextException(value, Part.whole(value, TOO_LONG));
            }
            StableText check = new StableText(text);
            Part found = inside ? check.inside(value) : check.ownText(value);
            if (found != null) {
                throw new UnstableTextException(value, found);
            }
            return text;
        } catch (StackOverflowError ex) {
            // Thrown by toString() or by the check, for a value that contains itself or is nested too deeply.
            throw new UnstableTextException(value, Part.whole(value, TOO_DEEP));
        }
    }

    /** Returns the first part of a value inside of a longer text whose text differs between JVMs; null if there is none. */
    private @Nullable Part inside(@Nullable Object part) {
        if (part == null || part instanceof String || this.around.stream().anyMatch(outer -> outer == part)) {
            return null;
        }
        Kind kind = KINDS.get(part.getClass());
        if (kind.reasonInside != null) {
            return Part.whole(part, kind.reasonInside);
        }
        this.around.add(part);
        Part found = switch (kind) {
            case STABLE -> null;
            case ORDERED -> elements((Iterable<?>) part, "");
            case SORTED_MAP ->
                first(elements(((Map<?, ?>) part).keySet(), ".keys"), elements(((Map<?, ?>) part).values(), ".values"));
            case ENTRY ->
                first(
                        at(".key", inside(((Map.Entry<?, ?>) part).getKey())),
                        at(".value", inside(((Map.Entry<?, ?>) part).getValue())));
            case OPTIONAL -> part instanceof Optional<?> optional ? inside(optional.orElse(null)) : null;
            default -> ownText(part);
        };
        this.around.remove(this.around.size() - 1);
        return found;
    }

    private @Nullable Part elements(Iterable<?> elements, String name) {
        int index = 0;
        for (Object element : elements) {
            Part found = inside(element);
            if (found != null) {
                return at(name + '[' + index + ']', found);
            }
            index++;
        }
        return null;
    }

    private static @Nullable Part first(@Nullable Part one, @Nullable Part other) {
        return one != null ? one : other;
    }

    /** Returns the same part with the path from the value that contains it. */
    private static @Nullable Part at(String step, @Nullable Part part) {
        return part != null ? new Part(step + part.path, part.type, part.reason) : null;
    }

    private @Nullable Part ownText(Object value) {
        String text = String.valueOf(value);
        String rest = text;
        for (Component component : COMPONENTS.get(value.getClass())) {
            Object content = component.read(value);
            String printed = String.valueOf(content);
            // The text of a component that is not printed may be longer than the text of the record, which is bounded.
            Part found = text.contains(printed) ? inside(content) : null;
            if (found != null) {
                return at('.' + component.name, found);
            }
            // A component may be an address such as user@cafe, which only looks like a hash.
            rest = printed.indexOf('@') >= 0 ? rest.replace(printed, "") : rest;
        }
        if (!this.mayHaveHash) {
            return null;
        }
        String own = '@' + Integer.toHexString(System.identityHashCode(value));
        String hash = rest.contains(own) ? own : IdentityHash.firstIn(rest);
        // The rest of the text may be personal data.
        return hash == null
                ? null
                : Part.whole(value, ", whose text contains \"" + hash + "\" and differs between JVMs. " + REMEDY);
    }

    /**
     * The part of a value that makes its text differ between JVMs: the value itself, or something that it contains.
     *
     * @param path path from the value to the part, such as {@code .items[0].tags}; empty: the value itself
     * @param type type of the part
     * @param reason end of the sentence that begins with the type, followed by a remedy
     */
    record Part(String path, Class<?> type, String reason) {

        static Part whole(Object value, String reason) {
            return new Part("", value.getClass(), reason);
        }

        @Override
        public String toString() {
            String where = this.path.startsWith(".") ? this.path.substring(1) : this.path;
            return where.isEmpty()
                    ? this.reason
                    : ", in which " + where + " is of type " + this.type.getTypeName() + this.reason;
        }
    }

    /** A component of a record, whose field is read, as the generated {@code toString()} does; an accessor may differ. */
    private record Component(String name, AccessibleObject member) {

        /**
         * Returns the readable components, by their fields, because {@code getRecordComponents} throws an error in a native
         * image without hints for all of them.
         */
        static List<Component> allOf(Class<?> type) {
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

        @Nullable
        Object read(Object record) {
            try {
                return this.member instanceof Field field ? field.get(record) : ((Method) this.member).invoke(record);
            } catch (ReflectiveOperationException ex) {
                return null;
            }
        }
    }

    /**
     * Whether the texts of a type's values are the same in every JVM: the reasons why not, as the end of a sentence, for a
     * value that is the whole key or a joined part, and for one inside of another value.
     */
    private enum Kind {
        STABLE(null, null),
        ENUM(null, null),
        OWN_TEXT(null, null),
        ENTRY(null, null),
        OPTIONAL(StableText.OPTIONAL, null),
        ORDERED(SEVERAL, null),
        /** Has elements and overrides {@code toString}, but is no collection, such as a path. */
        ITERABLE(SEVERAL, null),
        UNORDERED(SEVERAL, ORDER),
        ELEMENTS_WITHOUT_TEXT(SEVERAL, DIFFERS),
        SORTED_MAP(DIFFERS, null),
        MAP(DIFFERS, ORDER),
        DATE(StableText.DATE, StableText.DATE),
        TIME_ZONE(StableText.TIME_ZONE, StableText.TIME_ZONE),
        ADDRESS(StableText.ADDRESS, StableText.ADDRESS),
        ARRAY(StableText.ARRAY, DIFFERS),
        DEFERRED(StableText.DEFERRED, StableText.DEFERRED),
        NO_TEXT(DIFFERS, DIFFERS);

        /** The types that override {@code toString}; the first that fits applies. */
        private static final List<Map.Entry<Kind, List<Class<?>>>> TYPES = List.of(
                Map.entry(ENUM, List.of(Enum.class)),
                Map.entry(
                        OPTIONAL, List.of(Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class)),
                Map.entry(ORDERED, List.of(List.class, Deque.class, SortedSet.class, EnumSet.class)),
                Map.entry(UNORDERED, List.of(Collection.class)),
                Map.entry(ITERABLE, List.of(Iterable.class)),
                Map.entry(SORTED_MAP, List.of(SortedMap.class, EnumMap.class)),
                Map.entry(MAP, List.of(Map.class)),
                Map.entry(DATE, List.of(Date.class, Calendar.class)),
                Map.entry(TIME_ZONE, List.of(TimeZone.class)),
                Map.entry(ADDRESS, List.of(InetAddress.class, SocketAddress.class)),
                Map.entry(ENTRY, List.of(Map.Entry.class)),
                Map.entry(
                        STABLE, List.of(Number.class, CharSequence.class, Boolean.class, Character.class, UUID.class)));

        private final @Nullable String reasonAlone;

        private final @Nullable String reasonInside;

        Kind(@Nullable String reasonAlone, @Nullable String reasonInside) {
            this.reasonAlone = reasonAlone;
            this.reasonInside = reasonInside;
        }

        static Kind of(Class<?> type) {
            if (type.isArray()) {
                return ARRAY;
            }
            // A record or an enum that implements such an interface has a text of its own.
            if ((DeferredTypes.isPending(type) || DeferredTypes.isLazy(type))
                    && !type.isRecord()
                    && !Enum.class.isAssignableFrom(type)) {
                return DEFERRED;
            }
            if (!overridesToString(type)) {
                return Iterable.class.isAssignableFrom(type) ? ELEMENTS_WITHOUT_TEXT : NO_TEXT;
            }
            for (Map.Entry<Kind, List<Class<?>>> each : TYPES) {
                boolean fits = each.getValue().stream().anyMatch(known -> known.isAssignableFrom(type));
                // A record is checked by its components.
                if (fits && !(each.getKey() == ENTRY && type.isRecord())) {
                    return each.getKey();
                }
            }
            return type.getPackageName().equals("java.time") ? STABLE : OWN_TEXT;
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

package io.github.lockstarter.key;

import java.net.InetAddress;
import java.net.SocketAddress;
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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Classifies types by whether the texts of their values are the same in every JVM. Computed once for each type. */
enum TextKind {
    STABLE(null, null),
    ENUM(null, null),
    /** Overrides {@code toString}, as records do. */
    OWN_TEXT(null, null),
    ENTRY(null, null),
    OPTIONAL(". Use what it contains: .orElseThrow().", null),
    ORDERED(Reason.SEVERAL, null),
    /** Has elements and overrides {@code toString}, but is no collection, such as a path. */
    ITERABLE(Reason.SEVERAL, null),
    UNORDERED(Reason.SEVERAL, Reason.ORDER),
    ELEMENTS_WITHOUT_TEXT(Reason.SEVERAL, Reason.DIFFERS),
    SORTED_MAP(Reason.DIFFERS, null),
    MAP(Reason.DIFFERS, Reason.ORDER),
    DATE(Reason.DATE, Reason.DATE),
    TIME_ZONE(Reason.TIME_ZONE, Reason.TIME_ZONE),
    ADDRESS(Reason.ADDRESS, Reason.ADDRESS),
    ARRAY(Reason.ARRAY, Reason.DIFFERS),
    NO_TEXT(Reason.DIFFERS, Reason.DIFFERS);

    static final String TOO_DEEP = ", which contains itself or is nested too deeply to have a text. " + Reason.REMEDY;

    static final String NULL_TEXT = ", whose text is null. " + Reason.REMEDY;

    private static final ClassValue<TextKind> KINDS = new ClassValue<>() {
        @Override
        protected TextKind computeValue(Class<?> type) {
            return kindOf(type);
        }
    };

    private final @Nullable String reasonAlone;

    private final @Nullable String reasonInside;

    TextKind(@Nullable String reasonAlone, @Nullable String reasonInside) {
        this.reasonAlone = reasonAlone;
        this.reasonInside = reasonInside;
    }

    /** Returns the kind of the type. */
    static TextKind of(Class<?> type) {
        return KINDS.get(type);
    }

    /** Returns why such a value cannot be a key, as the end of a sentence; null if it may be one. */
    @Nullable
    String reasonAlone() {
        return this.reasonAlone;
    }

    /**
     * Returns why a value that contains such a value cannot be a key, as the end of a sentence; null if it may be one.
     */
    @Nullable
    String reasonInside() {
        return this.reasonInside;
    }

    /**
     * Returns the reason for a text with an identity hash, without the rest of the text, which may be personal data.
     */
    static String containing(String identityHash) {
        return ", whose text contains \"" + identityHash + "\" and differs between JVMs. " + Reason.REMEDY;
    }

    private static TextKind kindOf(Class<?> type) {
        if (Enum.class.isAssignableFrom(type)) {
            return ENUM;
        }
        if (isOneOf(type, Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class)) {
            return OPTIONAL;
        }
        if (type.isArray()) {
            return ARRAY;
        }
        boolean ownText = overridesToString(type);
        if (Iterable.class.isAssignableFrom(type)) {
            return ownText ? kindOfElements(type) : ELEMENTS_WITHOUT_TEXT;
        }
        if (!ownText || isOneOf(type, Future.class, CompletionStage.class)) {
            return NO_TEXT;
        }
        if (Map.class.isAssignableFrom(type)) {
            return isOneOf(type, SortedMap.class, EnumMap.class) ? SORTED_MAP : MAP;
        }
        return kindOfText(type);
    }

    private static TextKind kindOfElements(Class<?> type) {
        if (!Collection.class.isAssignableFrom(type)) {
            return ITERABLE;
        }
        return isOneOf(type, List.class, Deque.class, SortedSet.class, EnumSet.class) ? ORDERED : UNORDERED;
    }

    private static TextKind kindOfText(Class<?> type) {
        if (isOneOf(type, Date.class, Calendar.class)) {
            return DATE;
        }
        if (isOneOf(type, TimeZone.class)) {
            return TIME_ZONE;
        }
        if (isOneOf(type, InetAddress.class, SocketAddress.class)) {
            return ADDRESS;
        }
        if (!type.isRecord() && isOneOf(type, Map.Entry.class)) {
            return ENTRY;
        }
        boolean stable = isOneOf(type, Number.class, CharSequence.class, Boolean.class, Character.class, UUID.class)
                || type.getPackageName().equals("java.time");
        return stable ? STABLE : OWN_TEXT;
    }

    private static boolean overridesToString(Class<?> type) {
        try {
            return type.getMethod("toString").getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException ex) {
            // A native image only has the methods that hints name; the text itself is checked then.
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

    private static final class Reason {

        static final String REMEDY = "Use a property of it that has a stable text, such as an id.";

        static final String DIFFERS = ", whose text differs between JVMs. " + REMEDY;

        static final String SEVERAL = ", which is several values. Only a whole key of @DistributedLock can be several:"
                + " let its expression return a java.util.Collection.";

        static final String ARRAY =
                ", which is an array, whose text differs between JVMs. For several keys, return a List;"
                        + " otherwise use a property that has a stable text, such as an id.";

        static final String ORDER = ", whose order may differ between JVMs. " + REMEDY;

        static final String DATE =
                ", whose text depends on the time zone of the JVM. Use its milliseconds or a value of java.time.";

        static final String TIME_ZONE =
                ", whose text depends on the time zone rules of the JDK. Use its id, or a java.time.ZoneId.";

        static final String ADDRESS =
                ", whose text depends on whether its host name has been looked up. Use its host address.";

        private Reason() {}
    }
}

package io.github.lockstarter.key;

import org.jspecify.annotations.Nullable;

/**
 * Converts values to texts that are the same in every JVM. Values whose text may differ are rejected, because two
 * instances of an application would silently use different locks for the same value. Thread-safe.
 */
public final class StableText {

    private StableText() {}

    /**
     * Returns the text of a value; it may be blank.
     *
     * @param value not null
     * @throws UnstableTextException if the text may differ between JVMs, or the value is a collection
     */
    public static String of(Object value) {
        if (value instanceof String text) {
            return text;
        }
        TextKind kind = TextKind.of(value.getClass());
        return switch (kind) {
            case STABLE -> value.toString();
            case ENUM -> ((Enum<?>) value).name();
            default -> checkedAlone(value, kind);
        };
    }

    /**
     * Returns the text of a value as {@code toString()} prints it into a longer text; it may be that of a collection.
     *
     * @param value not null
     * @throws UnstableTextException if the text may differ between JVMs
     */
    public static String ofPrinted(Object value) {
        return value instanceof String text ? text : checked(value, true);
    }

    /**
     * Checks a text that may contain the result of {@code Object.toString()}.
     *
     * @throws UnstableTextException if it contains an identity hash
     */
    public static void checkPrinted(String text) {
        String found = IdentityHash.firstIn(text);
        if (found != null) {
            throw new UnstableTextException(UnstablePart.whole(text, TextKind.containing(found)), text);
        }
    }

    private static String checkedAlone(Object value, TextKind kind) {
        String reason = kind.reasonAlone();
        if (reason != null) {
            throw new UnstableTextException(UnstablePart.whole(value, reason), value);
        }
        return checked(value, false);
    }

    private static String checked(Object value, boolean inside) {
        try {
            String text = value.toString();
            UnstablePart found = text != null ? PartsCheck.find(value, text, inside) : nothing(value);
            if (found != null) {
                throw new UnstableTextException(found, value);
            }
            return text;
        } catch (StackOverflowError ex) {
            // Thrown by toString() or by the check, for a value that contains itself or is nested too deeply.
            throw new UnstableTextException(UnstablePart.whole(value, TextKind.TOO_DEEP), value);
        }
    }

    private static @Nullable UnstablePart nothing(Object value) {
        return UnstablePart.whole(value, TextKind.NULL_TEXT);
    }
}

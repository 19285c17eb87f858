package io.github.lockstarter.key;

import org.jspecify.annotations.Nullable;

/**
 * Text of a value that is the same in every JVM for equal values. Where it may differ, two instances of an application
 * would use two locks for the same thing, without any sign of it; such a value is refused.
 */
public final class StableText {

    private StableText() {}

    /**
     * Returns the text of a value; it may be blank.
     *
     * @throws UnstableTextException if the text may differ between JVMs, or the value is not one key but a collection
     */
    public static String of(Object value) {
        if (value instanceof String text) {
            return text;
        }
        TextKind kind = TextKind.of(value.getClass());
        return switch (kind) {
            case STABLE -> value.toString();
            case ENUM -> ((Enum<?>) value).name();
            default -> checked(value, kind);
        };
    }

    /**
     * Checks a text that {@code toString()} may have printed.
     *
     * @throws UnstableTextException if it contains an identity hash
     */
    public static void checkPrinted(String text) {
        String found = IdentityHash.firstIn(text);
        if (found != null) {
            throw new UnstableTextException(UnstablePart.whole(text, TextKind.containing(found)), text);
        }
    }

    private static String checked(Object value, TextKind kind) {
        String reason = kind.reasonAlone();
        if (reason != null) {
            throw new UnstableTextException(UnstablePart.whole(value, reason), value);
        }
        try {
            String text = value.toString();
            UnstablePart found = text != null ? PartsCheck.find(value, text) : nothing(value);
            if (found != null) {
                throw new UnstableTextException(found, value);
            }
            return text;
        } catch (StackOverflowError ex) {
            // Of its text or of the check; neither can tell a circle from what is merely deep.
            throw new UnstableTextException(UnstablePart.whole(value, TextKind.TOO_DEEP), value);
        }
    }

    private static @Nullable UnstablePart nothing(Object value) {
        return UnstablePart.whole(value, TextKind.NULL_TEXT);
    }
}

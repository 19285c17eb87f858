package io.github.lockstarter.aop.key;

import io.github.lockstarter.key.StableText;
import io.github.lockstarter.key.UnstableTextException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Converts results of key expressions to text, which must be the same in every JVM for equal values. */
final class KeyText {

    private KeyText() {}

    /** Returns the text of a whole key, which must not be blank. */
    static String of(@Nullable Object value) {
        if (value == null) {
            throw new Unusable("is null: all calls without a value would share one lock. Reject such calls before.");
        }
        String text = ofPart(value);
        if (text.isBlank()) {
            throw new Unusable("is blank: all calls without a value would share one lock. Reject such calls before.");
        }
        return text;
    }

    /** Returns the texts of several keys without duplicates; a call acquires the locks of all of them. */
    static Collection<String> ofEach(Collection<?> values) {
        if (values.isEmpty()) {
            throw new Unusable("is an empty collection: nothing would be locked. Reject such calls before.");
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

    /** Returns the text of a value that is joined with other text; it may be blank. */
    static String ofPart(Object value) {
        return usable(StableText::of, value);
    }

    /** Returns the text of a value that the key prints by calling a method, such as {@code toString()}. */
    static String ofPrinted(Object value) {
        return usable(StableText::ofPrinted, value);
    }

    /** Rejects text that the key obtained by calling {@code toString()} on an object that does not override it. */
    static void checkPrinted(String text) {
        String unused = usable(
                printed -> {
                    StableText.checkPrinted(printed);
                    return printed;
                },
                text);
    }

    private static <T> String usable(Function<T, String> text, T value) {
        try {
            return text.apply(value);
        } catch (UnstableTextException ex) {
            throw new Unusable("gave " + ex.getMessage());
        }
    }

    /** The value cannot be a key. The message continues the sentence "Key … of …". */
    static final class Unusable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Unusable(String message) {
            super(message);
        }
    }
}

package io.github.lockstarter.aop.key;

import io.github.lockstarter.key.StableText;
import io.github.lockstarter.key.UnstableTextException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Text of a key or of a part of it, which must be the same in every JVM for equal values. */
final class KeyText {

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
        try {
            return StableText.of(value);
        } catch (UnstableTextException ex) {
            throw new Unusable("gave " + ex.getMessage());
        }
    }

    /** Refuses the text of an object that has none of its own, for which {@code toString()} was called in the key. */
    static void checkPrinted(String text) {
        try {
            StableText.checkPrinted(text);
        } catch (UnstableTextException ex) {
            throw new Unusable("gave " + ex.getMessage());
        }
    }

    /** A value that cannot be a key; the message goes on where "Key … of …" ends. */
    static final class Unusable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Unusable(String message) {
            super(message);
        }
    }
}

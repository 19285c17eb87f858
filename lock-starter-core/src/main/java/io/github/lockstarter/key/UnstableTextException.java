package io.github.lockstarter.key;

/**
 * Thrown for a value whose text may differ between JVMs. The message is the end of a sentence: it begins with "a value
 * of type", and callers put the subject and the verb before it.
 */
public final class UnstableTextException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    UnstableTextException(Object value, StableText.Part part) {
        super("a value of type " + value.getClass().getTypeName() + part);
    }
}

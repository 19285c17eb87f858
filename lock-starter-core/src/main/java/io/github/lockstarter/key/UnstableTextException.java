package io.github.lockstarter.key;

/**
 * Thrown for a value whose text may differ between JVMs. The message is the end of a sentence: it begins with "a value
 * of type", and callers put the subject and the verb before it.
 */
public final class UnstableTextException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param part the value itself, or something in it whose text differs between JVMs
     * @param reason end of the sentence that begins with the type of the part, followed by a remedy
     */
    @SuppressWarnings("ReferenceEquality") // the part is the value or an object in it
    UnstableTextException(Object value, Object part, String reason) {
        super("a value of type " + value.getClass().getTypeName()
                + (part == value
                        ? ""
                        : ", which contains a value of type " + part.getClass().getTypeName())
                + reason);
    }
}

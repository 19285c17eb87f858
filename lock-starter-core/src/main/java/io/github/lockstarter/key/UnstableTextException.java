package io.github.lockstarter.key;

/** A value whose text may differ between JVMs. The message begins with "a value of type", after a verb of the caller. */
public final class UnstableTextException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    UnstableTextException(UnstablePart part, Object value) {
        super(part.describe(value.getClass()));
    }
}

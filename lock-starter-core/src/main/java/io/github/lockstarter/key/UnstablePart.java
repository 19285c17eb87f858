package io.github.lockstarter.key;

/**
 * The part of a value that makes its text differ between JVMs: the value itself, or something that it contains.
 *
 * @param path path from the value to the part, such as {@code .items[0].tags}; empty: the value itself
 * @param type type of the part
 * @param reason end of the sentence that begins with the type, followed by a remedy
 */
record UnstablePart(String path, Class<?> type, String reason) {

    /** Returns a part that is the value itself. */
    static UnstablePart whole(Object value, String reason) {
        return new UnstablePart("", value.getClass(), reason);
    }

    /** Returns the same part with the path from the value that contains it. */
    UnstablePart at(String step) {
        return new UnstablePart(step + this.path, this.type, this.reason);
    }

    /** Returns the phrase for messages, which begins with "a value of type" and ends with the remedy. */
    String describe(Class<?> valueType) {
        String value = "a value of type " + valueType.getTypeName();
        if (this.path.isEmpty()) {
            return value + this.reason;
        }
        String where = this.path.startsWith(".") ? this.path.substring(1) : this.path;
        return value + ", in which " + where + " is of type " + this.type.getTypeName() + this.reason;
    }
}

package io.github.lockstarter.key;

/**
 * What makes the text of a value unusable: the value itself, or something that it contains.
 *
 * @param path where it is, such as {@code .items[0].tags}; empty: the value itself
 * @param type its type
 * @param reason goes on after the name of the type, and ends with a remedy
 */
record UnstablePart(String path, Class<?> type, String reason) {

    static UnstablePart whole(Object value, String reason) {
        return new UnstablePart("", value.getClass(), reason);
    }

    /** The same, seen from what contains it. */
    UnstablePart at(String step) {
        return new UnstablePart(step + this.path, this.type, this.reason);
    }

    String describe(Class<?> valueType) {
        String value = "a value of type " + valueType.getTypeName();
        if (this.path.isEmpty()) {
            return value + this.reason;
        }
        String where = this.path.startsWith(".") ? this.path.substring(1) : this.path;
        return value + ", in which " + where + " is of type " + this.type.getTypeName() + this.reason;
    }
}

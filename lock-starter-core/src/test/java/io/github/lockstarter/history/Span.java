package io.github.lockstarter.history;

/** From one moment to another, in nanoseconds. */
record Span(long from, long to) {

    boolean overlaps(long otherFrom, long otherTo) {
        return this.from < otherTo && otherFrom < this.to;
    }

    /** How much of it lies between those moments. */
    long within(long otherFrom, long otherTo) {
        return Math.max(0, Math.min(this.to, otherTo) - Math.max(this.from, otherFrom));
    }
}

package io.github.lockstarter.history;

import java.util.Locale;

/**
 * One line of a history. Times are {@link System#nanoTime()}, which all processes of a Linux machine have in common, so
 * that their histories need only be put together.
 *
 * @param at when
 * @param instance who: a process, or the harness
 * @param attempt which of its attempts to get a lock; 0: none
 * @param kind what
 * @param lock name of the lock, without blanks
 * @param token fencing token; 0: none
 * @param time a second time, see {@link EventKind}; 0: none
 * @param text whatever else there is to say; may be empty
 */
record Event(long at, String instance, long attempt, EventKind kind, String lock, long token, long time, String text) {

    private static final int COLUMNS = 8;

    /** Reads a line as {@link #line()} writes it; what is missing at its end is nothing. */
    static Event parse(String line) {
        String[] columns = line.strip().split("\\s+", COLUMNS);
        if (columns.length < 5) {
            throw new IllegalArgumentException("Not an event: " + line);
        }
        return new Event(
                Long.parseLong(columns[0]),
                columns[1],
                Long.parseLong(columns[2]),
                EventKind.valueOf(columns[3].toUpperCase(Locale.ROOT)),
                columns[4],
                columns.length > 5 ? Long.parseLong(columns[5]) : 0,
                columns.length > 6 ? Long.parseLong(columns[6]) : 0,
                columns.length > 7 ? columns[7] : "");
    }

    String line() {
        String text = this.text.replaceAll("\\s+", " ");
        return (this.at + " " + this.instance + ' ' + this.attempt + ' ' + this.kind + ' ' + this.lock + ' '
                        + this.token + ' ' + this.time + ' ' + text)
                .strip();
    }

    @Override
    public String toString() {
        return '[' + line() + ']';
    }
}

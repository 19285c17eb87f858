package io.github.lockstarter.testsupport.history;

import java.util.Locale;

/**
 * A line of a history. Times are {@link System#nanoTime()}, which is the same clock for all processes of a Linux
 * machine.
 *
 * @param at the time of the event
 * @param instance the process, or the harness
 * @param attempt the number of the attempt to acquire a lock, or 0
 * @param kind the kind of the event
 * @param lock name of the lock, without blanks
 * @param token fencing token, or 0
 * @param time a second time, see {@link EventKind}, or 0
 * @param text further text, which may be empty
 */
public record Event(
        long at, String instance, long attempt, EventKind kind, String lock, long token, long time, String text) {

    private static final int COLUMNS = 8;

    /** Reads a line as {@link #line()} writes it. Columns may be missing at its end. */
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

    /** Returns the same event with another second time. */
    public Event withTime(long otherTime) {
        return new Event(this.at, this.instance, this.attempt, this.kind, this.lock, this.token, otherTime, this.text);
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

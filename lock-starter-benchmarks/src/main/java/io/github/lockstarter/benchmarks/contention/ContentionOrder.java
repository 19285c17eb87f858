package io.github.lockstarter.benchmarks.contention;

import java.nio.file.Path;

/**
 * What one JVM does in a measurement.
 *
 * @param arena where it meets the others
 * @param jvm its number, from 1
 * @param threads how many threads want the lock
 * @param workNanos how long each holds it
 * @param startNanos when they begin, by {@link System#nanoTime()}, which all JVMs of a machine share
 * @param endNanos when they end
 */
public record ContentionOrder(Path arena, int jvm, int threads, long workNanos, long startNanos, long endNanos) {

    /** As words without blanks; the path last, for it may have some. */
    public String encode() {
        return this.jvm + " " + this.threads + " " + this.workNanos + " " + this.startNanos + " " + this.endNanos + " "
                + this.arena;
    }

    public static ContentionOrder decode(String text) {
        String[] words = text.split(" ", 6);
        return new ContentionOrder(
                Path.of(words[5]),
                Integer.parseInt(words[0]),
                Integer.parseInt(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]));
    }

    int arenaThread(int thread) {
        return Arena.thread((this.jvm - 1) * this.threads + thread);
    }
}

package io.github.lockstarter.benchmarks.contention;

import java.nio.file.Path;

/**
 * What one JVM does in a measurement.
 *
 * @param arena where it meets the others
 * @param jvm its number, from 1
 * @param threads how many threads want the lock
 * @param sharing how many may have it at the same time
 * @param workNanos how long each holds it
 * @param startNanos when they begin, by {@link System#nanoTime()}, which all JVMs of a machine share
 * @param endNanos when they end
 */
public record ContentionOrder(
        Path arena, int jvm, int threads, Sharing sharing, long workNanos, long startNanos, long endNanos) {

    /** As words without blanks; the path last, for it may have some. */
    public String encode() {
        return this.jvm + " " + this.threads + " " + this.sharing.encode() + " " + this.workNanos + " "
                + this.startNanos + " " + this.endNanos + " " + this.arena;
    }

    public static ContentionOrder decode(String text) {
        String[] words = text.split(" ", 7);
        return new ContentionOrder(
                Path.of(words[6]),
                Integer.parseInt(words[0]),
                Integer.parseInt(words[1]),
                Sharing.decode(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5]));
    }

    int arenaThread(int thread) {
        return Arena.thread((this.jvm - 1) * this.threads + thread);
    }
}

package io.github.lockstarter.benchmarks.contention;

import io.github.lockstarter.benchmarks.client.Wire;

/**
 * Divides hand-overs between JVMs into stages: the first write of a JVM after the end of a body there, the first and
 * the last read of the next JVM since then, and the beginning of the body there. The times are those of {@link
 * System#nanoTime()}, which all JVMs of a machine share. A command is written by an event loop, so that the first stage
 * contains the change of threads. Another command or reply of the same JVM may come first; it is rare enough not to
 * move a median.
 */
final class Stages implements Wire.Observer {

    /** How many there are. */
    static final int COUNT = 4;

    /**
     * Places in the line of a JVM: not zero if nothing was written since the end of a body there; when it was written
     * after that.
     */
    private static final int ENDED = 0;

    private static final int WRITTEN = 1;

    private final Arena arena;

    private final int line;

    /** The end of the body to which the reads belong. */
    private volatile long end;

    private volatile long firstRead;

    private volatile long lastRead;

    Stages(Arena arena, int jvm) {
        this.arena = arena;
        this.line = Arena.jvm(jvm);
    }

    /** A body has ended in this JVM. */
    void bodyEnded() {
        this.arena.set(this.line + ENDED, 1);
    }

    @Override
    public void written() {
        if (this.arena.getVolatile(this.line + ENDED) != 0) {
            this.arena.set(this.line + ENDED, 0);
            this.arena.set(this.line + WRITTEN, System.nanoTime());
        }
    }

    @Override
    public void read() {
        long now = System.nanoTime();
        long ended = this.arena.getVolatile(CriticalSection.LAST_END);
        if (ended != this.end) {
            this.end = ended;
            this.firstRead = now;
        }
        this.lastRead = now;
    }

    /** Writes the stages of a hand-over to this JVM. One is negative if another command came between. */
    void handedOver(int sample, int from, long begin) {
        long[] times = {
            this.arena.get(CriticalSection.LAST_END),
            this.arena.getVolatile(Arena.jvm(from) + WRITTEN),
            this.firstRead,
            this.lastRead,
            begin
        };
        for (int stage = 0; stage < COUNT; stage++) {
            this.arena.set(sample + stage, times[stage + 1] - times[stage]);
        }
    }
}

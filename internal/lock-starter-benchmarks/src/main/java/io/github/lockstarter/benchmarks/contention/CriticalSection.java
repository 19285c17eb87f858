package io.github.lockstarter.benchmarks.contention;

import io.github.lockstarter.benchmarks.client.LockClient;

/**
 * What must never have two threads inside, of whatever JVM. It counts those that find another one inside, increments a
 * plain counter that loses increments if they overlap, and sees to it that fencing tokens grow from one to the next. On
 * the way it measures hand-overs: from the end of one body to the beginning of the next one in another JVM, with the
 * stages that {@link Stages} shows.
 */
final class CriticalSection implements Section {

    static final int INSIDE = 0;

    static final int ENTRIES = Arena.LINE;

    static final int OVERLAPS = 2 * Arena.LINE;

    static final int STALE_TOKENS = 3 * Arena.LINE;

    static final int LAST_TOKEN = 4 * Arena.LINE;

    static final int LAST_JVM = LAST_TOKEN + 1;

    static final int LAST_END = LAST_TOKEN + 2;

    static final int HAND_OVERS = LAST_TOKEN + 3;

    /** Largest one of a reader. */
    static final int LAST_READ_TOKEN = 5 * Arena.LINE;

    private final Arena arena;

    /** From 1; 0 is no thread. */
    private final int jvm;

    private final Stages stages;

    CriticalSection(Arena arena, int jvm, Stages stages) {
        this.arena = arena;
        this.jvm = jvm;
        this.stages = stages;
    }

    @Override
    public long enter(long token) {
        long begin = System.nanoTime();
        if (this.arena.getAndAdd(INSIDE, 1) != 0) {
            this.arena.getAndAdd(OVERLAPS, 1);
        }
        if (token != LockClient.NO_TOKEN) {
            if (token <= Math.max(this.arena.get(LAST_TOKEN), this.arena.getVolatile(LAST_READ_TOKEN))) {
                this.arena.getAndAdd(STALE_TOKENS, 1);
            }
            this.arena.set(LAST_TOKEN, token);
        }
        long last = this.arena.get(LAST_JVM);
        long handOvers = this.arena.get(HAND_OVERS);
        if (last != 0 && last != this.jvm && handOvers < Arena.SAMPLES) {
            int sample = Arena.sample((int) handOvers);
            this.arena.set(sample, begin - this.arena.get(LAST_END));
            this.stages.handedOver(sample + 1, (int) last, begin);
            this.arena.set(HAND_OVERS, handOvers + 1);
        }
        return this.arena.get(ENTRIES);
    }

    @Override
    public void leave(long entriesBefore) {
        this.arena.set(ENTRIES, entriesBefore + 1);
        this.arena.set(LAST_JVM, this.jvm);
        this.arena.getAndAdd(INSIDE, -1);
        this.arena.set(LAST_END, System.nanoTime());
        this.stages.bodyEnded();
    }
}

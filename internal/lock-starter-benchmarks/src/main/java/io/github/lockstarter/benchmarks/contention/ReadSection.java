package io.github.lockstarter.benchmarks.contention;

import io.github.lockstarter.benchmarks.client.LockClient;

/**
 * What readers do beside each other, while no writer is in the {@link CriticalSection} of the same arena. Counts
 * readers that find a writer inside, or that see what writers write change under them. A reader's token must exceed
 * those of all writers before it, and those of all writers after it must exceed it.
 */
final class ReadSection implements Section {

    /** Above all writers in the count of those inside, so that one step counts a reader and finds a writer. */
    static final long READER = 1L << Integer.SIZE;

    private final Arena arena;

    ReadSection(Arena arena) {
        this.arena = arena;
    }

    @Override
    public long enter(long token) {
        int writers = (int) this.arena.getAndAdd(CriticalSection.INSIDE, READER);
        if (writers != 0) {
            this.arena.getAndAdd(CriticalSection.OVERLAPS, 1);
        }
        if (token != LockClient.NO_TOKEN) {
            if (token <= this.arena.get(CriticalSection.LAST_TOKEN)) {
                this.arena.getAndAdd(CriticalSection.STALE_TOKENS, 1);
            }
            this.arena.raise(CriticalSection.LAST_READ_TOKEN, token);
        }
        return this.arena.getVolatile(CriticalSection.ENTRIES);
    }

    @Override
    public void leave(long entriesBefore) {
        if (this.arena.getVolatile(CriticalSection.ENTRIES) != entriesBefore) {
            this.arena.getAndAdd(CriticalSection.OVERLAPS, 1);
        }
        this.arena.getAndAdd(CriticalSection.INSIDE, -READER);
    }
}

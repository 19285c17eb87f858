package io.github.lockstarter.benchmarks.contention;

/** What at most so many threads may do at the same time. Counts those that find too many inside. */
final class LimitedSection implements Section {

    private final Arena arena;

    private final int limit;

    LimitedSection(Arena arena, int limit) {
        this.arena = arena;
        this.limit = limit;
    }

    /** Ignores tokens: holders enter in any order. */
    @Override
    public long enter(long token) {
        if (this.arena.getAndAdd(CriticalSection.INSIDE, 1) >= this.limit) {
            this.arena.getAndAdd(CriticalSection.OVERLAPS, 1);
        }
        return 0;
    }

    @Override
    public void leave(long entriesBefore) {
        this.arena.getAndAdd(CriticalSection.INSIDE, -1);
    }
}

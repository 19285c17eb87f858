package io.github.lockstarter.benchmarks.contention;

import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * What the JVMs have left in the arena.
 *
 * @param served acquisitions within the time
 * @param entered all acquisitions
 * @param longestWaitNanos of any thread; of readers if there are readers and writers
 * @param longestWriteWaitNanos of writers if there are readers and writers, otherwise 0
 * @param threadFairness least served thread by most served thread
 * @param jvmFairness least served JVM by most served JVM
 * @param handOverNanos median from JVM to JVM; 0 if there was none
 * @param stagesNanos medians of its stages: to the first command written, to the first and to the last read of the next
 *     JVM, to the body there
 */
public record ContentionResult(
        long served,
        long entered,
        long longestWaitNanos,
        long longestWriteWaitNanos,
        double threadFairness,
        double jvmFairness,
        long handOverNanos,
        List<Long> stagesNanos) {

    /** Reads the arena after all threads have ended. */
    public static ContentionResult read(Arena arena, int jvms, int threadsPerJvm) {
        int threads = jvms * threadsPerJvm;
        long[] served = column(arena, threads, ContendingThread.SERVED).toArray();
        long entered = column(arena, threads, ContendingThread.ENTERED).sum();
        requireExclusion(
                arena, column(arena, threads, ContendingThread.ENTERED_ALONE).sum());
        LongStream perJvm = IntStream.range(0, jvms)
                .mapToLong(jvm -> Arrays.stream(served, jvm * threadsPerJvm, (jvm + 1) * threadsPerJvm)
                        .sum());
        return new ContentionResult(
                Arrays.stream(served).sum(),
                entered,
                column(arena, threads, ContendingThread.MAX_WAIT).max().orElse(0),
                column(arena, threads, ContendingThread.MAX_WRITE_WAIT).max().orElse(0),
                fairness(Arrays.stream(served)),
                fairness(perJvm),
                median(arena, 0),
                IntStream.range(1, Arena.SAMPLE)
                        .mapToObj(stage -> median(arena, stage))
                        .toList());
    }

    private static LongStream column(Arena arena, int threads, int column) {
        return IntStream.range(0, threads).mapToLong(thread -> arena.get(Arena.thread(thread) + column));
    }

    private static void requireExclusion(Arena arena, long enteredAlone) {
        long overlaps = arena.get(CriticalSection.OVERLAPS);
        long counted = arena.get(CriticalSection.ENTRIES);
        long stale = arena.get(CriticalSection.STALE_TOKENS);
        if (overlaps != 0 || counted != enteredAlone || stale != 0) {
            throw new ExclusionViolationException(overlaps + " overlaps, " + counted + " entries counted of "
                    + enteredAlone + ", " + stale + " fencing tokens not larger than the one before");
        }
    }

    private static double fairness(LongStream served) {
        LongSummaryStatistics statistics = served.summaryStatistics();
        return statistics.getMax() == 0 ? 0 : (double) statistics.getMin() / statistics.getMax();
    }

    private static long median(Arena arena, int stage) {
        int count = (int) arena.get(CriticalSection.HAND_OVERS);
        return IntStream.range(0, count)
                .mapToLong(number -> arena.get(Arena.sample(number) + stage))
                .sorted()
                .skip(count / 2)
                .findFirst()
                .orElse(0);
    }
}

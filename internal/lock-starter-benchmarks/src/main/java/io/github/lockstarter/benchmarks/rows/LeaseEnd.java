package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.worker.Worker;
import io.github.lockstarter.testsupport.RedisCli;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** When the lock of the owner that is killed ends, as Redis reports it. */
final class LeaseEnd {

    private static final int LOOKS = 51;

    private LeaseEnd() {}

    /**
     * Returns when the last key of the lock expires unless it is renewed, by {@link System#nanoTime()}, to a
     * millisecond, which is what Redis reports.
     */
    static long nanos(RedisCli cli) {
        List<?> all = (List<?>) Objects.requireNonNull(cli.command("KEYS", "*"));
        List<String> keys = all.stream()
                .map(String::valueOf)
                .filter(candidate -> candidate.contains(Worker.ORPHAN))
                .toList();
        return LongStream.generate(() -> {
                    long left = keys.stream().mapToLong(cli::pttl).max().orElseThrow();
                    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(left);
                })
                .limit(LOOKS)
                .sorted()
                .skip(LOOKS / 2)
                .findFirst()
                .orElseThrow();
    }
}

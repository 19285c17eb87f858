package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.report.Row;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What to measure, and for how long.
 *
 * @param rows which
 * @param contenders who
 * @param rounds how often, the contenders in turn
 * @param warmUp before each measurement
 * @param longWarmUp before a measurement of hand-overs alone
 * @param time of each measurement
 * @param locks how many renewed ones
 * @param renewedTime how long they are watched, and instances that wait
 * @param waiters how many instances wait
 * @param lease of renewed locks, and of those whose owner or reader is killed
 * @param jvmOptions of the JVMs in which it happens
 * @param log where JMH writes
 */
public record Plan(
        Set<Row> rows,
        Set<Contender> contenders,
        int rounds,
        Duration warmUp,
        Duration longWarmUp,
        Duration time,
        int locks,
        Duration renewedTime,
        int waiters,
        Duration lease,
        List<String> jvmOptions,
        Path log) {

    /** Renewed locks where one contender renews each of them a thousand times as often. */
    public int fewLocks() {
        return Math.max(100, this.locks / 1_000);
    }

    /** Acquisitions that one thread calls one after another without waiting for any. */
    public int burst() {
        return this.locks / 2;
    }

    boolean has(Row row, Contender contender) {
        return this.rows.contains(row) && row.takes(contender);
    }

    List<Row> due(List<Row> some, Contender contender) {
        return some.stream().filter(row -> has(row, contender)).toList();
    }
}

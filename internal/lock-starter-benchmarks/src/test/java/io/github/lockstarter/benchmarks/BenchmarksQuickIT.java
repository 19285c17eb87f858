package io.github.lockstarter.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the program of each row, and each contender, once: that they work, and not how fast they are. */
class BenchmarksQuickIT {

    private static final Set<Metric> POSITIVE = EnumSet.of(
            Metric.RATE,
            Metric.MEDIAN,
            Metric.CALLER_BYTES,
            Metric.ALL_BYTES,
            Metric.WIRE_COMMANDS,
            Metric.ALL_COMMANDS,
            Metric.MAX_WAIT,
            Metric.READER_WAIT,
            Metric.LIMIT,
            Metric.AFTER_KILL,
            Metric.HEAP,
            Metric.CLIENT_CPU,
            Metric.RENEWED_RATE,
            Metric.CLIENT_EACH,
            Metric.GRANTED,
            Metric.LAST_GRANT,
            Metric.ACQUIRE_PERMIT,
            Metric.EXPIRED_READER,
            Metric.POLL,
            Metric.PASS_PERMIT,
            Metric.DEAD_WAITER,
            Metric.DEAD_5_000,
            Metric.OVERDUE_5_000,
            Metric.POLLS,
            Metric.REDIS_MEMORY,
            Metric.IDLE_CONNECTIONS,
            Metric.WAITING_CONNECTIONS,
            Metric.SERVER_TIME,
            Metric.RENEWALS_1,
            Metric.RENEWALS_3,
            Metric.RENEWALS_6,
            Metric.HELD_1_1,
            Metric.FENCED_1_1,
            Metric.HELD_4_1,
            Metric.FENCED_4_1,
            Metric.HELD_4_5,
            Metric.FENCED_4_5,
            Metric.LOCKED_1,
            Metric.FENCED_BEGIN_1,
            Metric.FENCED_GRANT_1,
            Metric.LOCKED_4,
            Metric.FENCED_BEGIN_4,
            Metric.FENCED_GRANT_4,
            Metric.FENCED_UNLOCKED_1,
            Metric.FENCED_UNLOCKED_4,
            Metric.ROUND_TRIP,
            Metric.FAR_16_99,
            Metric.FAR_BACKGROUND,
            Metric.FAR_PERMIT);

    /** Rows that run the program of another row with other numbers. */
    private static final Set<Row> REPEATED = EnumSet.of(
            Row.ALONE_WARM,
            Row.OWN_KEYS,
            Row.FOUR_JVMS_WORKING,
            Row.HAND_OVER,
            Row.HAND_OVER_WORKING,
            Row.CONFIRMED_OWN_KEYS,
            Row.BESIDE_100,
            Row.BESIDE_1_000,
            Row.BESIDE_10_000,
            Row.AT_50_MICROS,
            Row.AT_2_MILLIS);

    /** With one contender, because each takes seconds to start. Not in each build, which would take a minute longer. */
    @Test
    @Tag("soak")
    @Timeout(600)
    void everyRowRunsAndExclusionHolds() throws Exception {
        Set<Row> rows = EnumSet.allOf(Row.class);
        rows.removeAll(REPEATED);
        assertThatAllRun(
                rows,
                Set.of(Contender.LOCK_STARTER),
                "--contenders=lock-starter",
                "--rows=" + rows.stream().map(row -> "" + row.number()).collect(Collectors.joining(",")));
    }

    @Test
    @Timeout(600)
    @Tag("full")
    void everyContenderRuns() throws Exception {
        assertThatAllRun(Set.of(Row.ONE_JVM), Set.of(Contender.values()), "--rows=" + Row.ONE_JVM.number());
    }

    private static void assertThatAllRun(Set<Row> rows, Set<Contender> contenders, String... choice) throws Exception {
        Results results = Benchmarks.run(Arguments.parse(
                Stream.concat(Stream.of("--quick"), Stream.of(choice)).toArray(String[]::new)));

        assertThat(results.rows()).containsExactlyInAnyOrderElementsOf(rows);
        for (Row row : rows) {
            assertThat(results.row(row).contenders())
                    .as("row %s", row)
                    .containsExactlyInAnyOrderElementsOf(
                            contenders.stream().filter(row::takes).toList());
            for (Contender contender : results.row(row).contenders()) {
                plausible(results, row, contender);
            }
        }
    }

    private static void plausible(Results results, Row row, Contender contender) {
        for (Metric metric : results.row(row).metrics()) {
            double value = results.row(row).median(contender, metric).orElseThrow();
            assertThat(value).as("%s of %s in row %s", metric, contender, row).isFinite();
            if (POSITIVE.contains(metric)) {
                assertThat(value)
                        .as("%s of %s in row %s", metric, contender, row)
                        .isPositive();
            }
        }
    }
}

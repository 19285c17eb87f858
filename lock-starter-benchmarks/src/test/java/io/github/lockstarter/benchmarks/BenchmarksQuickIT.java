package io.github.lockstarter.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.report.Metric;
import io.github.lockstarter.benchmarks.report.Results;
import io.github.lockstarter.benchmarks.report.Row;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every row and contender once, so that the benchmarks cannot rot. Says nothing about how fast anybody is. */
class BenchmarksQuickIT {

    private static final Set<Metric> POSITIVE = EnumSet.of(
            Metric.RATE,
            Metric.MEDIAN,
            Metric.CALLER_BYTES,
            Metric.ALL_BYTES,
            Metric.WIRE_COMMANDS,
            Metric.ALL_COMMANDS,
            Metric.LONGEST_WAIT,
            Metric.READER_WAIT,
            Metric.LIMIT,
            Metric.AFTER_KILL,
            Metric.HEAP,
            Metric.CLIENT_CPU);

    @Test
    @Timeout(600)
    void everyRowRunsAndExclusionHolds() throws Exception {
        Results results = Benchmarks.run(Arguments.parse("--quick"));

        assertThat(results.rows()).containsExactly(Row.values());
        for (Row row : Row.values()) {
            assertThat(results.row(row).contenders())
                    .as("row %s", row)
                    .containsExactlyElementsOf(
                            Stream.of(Contender.values()).filter(row::takes).toList());
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

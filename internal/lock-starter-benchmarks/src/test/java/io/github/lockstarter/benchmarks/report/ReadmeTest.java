package io.github.lockstarter.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.benchmarks.client.Contender;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadmeTest {

    private static final Path ROOT = Path.of("../..");

    private final Results results = new Results();

    ReadmeTest() {
        add(Metric.ROUND_TRIP, 1_100, 1_100);
    }

    @ParameterizedTest
    @CsvSource({"README.md,false", "README.zh-CN.md,true"})
    void shouldReplaceTheFiguresOnly(String name, boolean isChinese) throws Exception {
        String page = Files.readString(ROOT.resolve(name));
        add(Metric.FAR_LOCK, 1.23, 1.45);

        String written = Readme.of(this.results, page, isChinese);

        assertThat(written).contains("1.10 ms", "1.23 × | 1.45 ×");
        assertThat(Readme.of(this.results, written, isChinese)).isEqualTo(written);
        assertThat(written).startsWith(page.substring(0, page.indexOf("<!-- figures")));
        assertThat(written).endsWith(page.substring(page.indexOf("<!-- end of the figures")));
    }

    @ParameterizedTest
    @CsvSource({"1.0,2.0,false", "2.0,1.9,true"})
    void shouldGiveAReasonWhereRedissonIsBetter(double own, double other, boolean isWorse) throws Exception {
        add(Metric.FAR_PERMIT, own, other);

        String written = Readme.of(this.results, Files.readString(ROOT.resolve("README.md")), false);

        assertThat(written.contains("A permit that is passed on")).isEqualTo(isWorse);
    }

    @Test
    void shouldRejectAPageWithoutMarks() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Readme.of(this.results, "# Locks\n", false))
                .withMessageContaining("marks");
    }

    private void add(Metric metric, double own, double other) {
        this.results.add(Row.AT_500_MICROS, Contender.LOCK_STARTER, metric, own);
        this.results.add(Row.AT_500_MICROS, Contender.REDISSON, metric, other);
    }
}

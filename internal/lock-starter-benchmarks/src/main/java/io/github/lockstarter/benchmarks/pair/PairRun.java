package io.github.lockstarter.benchmarks.pair;

import io.github.lockstarter.benchmarks.client.Contender;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** One fork of {@link PairBenchmark}. The caller repeats it, so that rounds of all contenders alternate. */
public final class PairRun {

    private static final double MICROS_PER_SECOND = TimeUnit.SECONDS.toMicros(1);

    private PairRun() {}

    /**
     * Measures pairs.
     *
     * @param pairsBefore pairs of one thread before the warm-up
     */
    public static PairResult of(
            Contender contender,
            int port,
            int threads,
            int pairsBefore,
            Duration warmUp,
            Duration time,
            List<String> jvmOptions,
            Path log)
            throws RunnerException {
        // two benchmarks at the same time show in the figures; a test should not fail because of them
        System.setProperty("jmh.ignoreLock", "true");
        Options options = new OptionsBuilder()
                .include(PairBenchmark.class.getName())
                .param("contender", contender.name())
                .param("port", Integer.toString(port))
                .param("pairsBefore", Integer.toString(pairsBefore))
                .threads(threads)
                .forks(1)
                .jvmArgs(jvmOptions.toArray(String[]::new))
                .jvmArgsAppend("-Xmx512m")
                .warmupIterations(warmUp.isZero() ? 0 : 1)
                .warmupTime(TimeValue.milliseconds(Math.max(1, warmUp.toMillis())))
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(time.toMillis()))
                .addProfiler(CostProfiler.class)
                .shouldFailOnError(true)
                .output(log.toString())
                .build();
        Collection<RunResult> results = new Runner(options).run();
        RunResult result = results.iterator().next();
        Result<?> times = result.getPrimaryResult();
        return new PairResult(
                // a closed loop: each thread has one call underway at any time
                threads * MICROS_PER_SECOND / times.getScore(),
                times.getStatistics().getPercentile(50),
                score(result, CostProfiler.CALLERS),
                score(result, CostProfiler.ALL),
                score(result, CostProfiler.SERVER));
    }

    private static double score(RunResult result, String label) {
        return Objects.requireNonNull(result.getSecondaryResults().get(label)).getScore();
    }
}

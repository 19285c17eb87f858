package io.github.lockstarter.benchmarks.pair;

import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Bytes allocated per call, by the calling threads and by all. The benchmark itself looks, for by the time a profiler is
 * asked, the threads of the client library are gone; the profiler knows how many calls there were.
 */
public final class AllocationProfiler implements InternalProfiler {

    static final String CALLERS = "bytes.callers";

    static final String ALL = "bytes.all";

    private static volatile long callerBytes;

    private static volatile long allBytes;

    static void counted(long byCallers, long byAll) {
        callerBytes = byCallers;
        allBytes = byAll;
    }

    @Override
    public String getDescription() {
        return "bytes allocated by callers, and by all threads";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        counted(0, 0);
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double calls = Math.max(1, result.getMetadata().getAllOps());
        return List.of(result(CALLERS, callerBytes / calls), result(ALL, allBytes / calls));
    }

    private static ScalarResult result(String label, double bytes) {
        return new ScalarResult(label, bytes, "B/op", AggregationPolicy.AVG);
    }
}

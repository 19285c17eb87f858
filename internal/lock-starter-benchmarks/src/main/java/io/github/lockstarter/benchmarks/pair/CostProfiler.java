package io.github.lockstarter.benchmarks.pair;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Bytes allocated per call, by the calling threads and by all, and processor time of Redis. The benchmark itself looks,
 * for by the time a profiler is asked, the threads of the client library are gone; the profiler knows how many calls
 * there were.
 */
public final class CostProfiler implements InternalProfiler {

    static final String CALLERS = "bytes.callers";

    static final String ALL = "bytes.all";

    static final String SERVER = "micros.server";

    private static volatile long callerBytes;

    private static volatile long allBytes;

    private static volatile double serverSeconds;

    static void counted(long byCallers, long byAll, double inServer) {
        callerBytes = byCallers;
        allBytes = byAll;
        serverSeconds = inServer;
    }

    @Override
    public String getDescription() {
        return "bytes allocated by callers, and by all threads, and time of Redis";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        counted(0, 0, 0);
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double calls = Math.max(1, result.getMetadata().getAllOps());
        return List.of(
                result(CALLERS, callerBytes / calls, "B/op"),
                result(ALL, allBytes / calls, "B/op"),
                result(SERVER, serverSeconds * TimeUnit.SECONDS.toMicros(1) / calls, "us/op"));
    }

    private static ScalarResult result(String label, double value, String unit) {
        return new ScalarResult(label, value, unit, AggregationPolicy.AVG);
    }
}

package io.github.lockstarter.benchmarks.pair;

import io.github.lockstarter.benchmarks.client.ClientSettings;
import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.ServerTime;
import io.github.lockstarter.benchmarks.client.Use;
import io.github.lockstarter.testsupport.RedisCli;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/** Lock and unlock a key without contention. The runner gives threads, times and parameters. */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class PairBenchmark {

    /** One client for all threads, as in an application. */
    @State(Scope.Benchmark)
    public static class Client {

        @Param("FLOOR")
        public Contender contender = Contender.FLOOR;

        @Param("0")
        public int port;

        /** Pairs before the measurement, one after another. */
        @Param("0")
        public int pairsBefore;

        private @Nullable LockClient opened;

        @Setup
        public void open() {
            this.opened = this.contender.open(new ClientSettings(this.port, null, Use.ALONE));
            this.opened.warmUp();
            for (int i = 0; i < this.pairsBefore; i++) {
                this.opened.pair(Keys.name(0, i % Keys.COUNT));
            }
        }

        @TearDown
        public void close() {
            opened().close();
        }

        LockClient opened() {
            return Objects.requireNonNull(this.opened);
        }
    }

    /** The keys of one thread, in turn. */
    @State(Scope.Thread)
    public static class Keys {

        private static final int COUNT = 1_000;

        private final String[] keys = new String[COUNT];

        private int next;

        @Setup
        public void name(ThreadParams thread) {
            for (int i = 0; i < COUNT; i++) {
                this.keys[i] = name(thread.getThreadIndex(), i);
            }
        }

        static String name(int thread, int number) {
            return "pair:" + thread + ":" + number;
        }

        String next() {
            this.next = (this.next + 1) % COUNT;
            return this.keys[this.next];
        }
    }

    /** Looks at what is allocated, and what Redis does, while the client is open. */
    @State(Scope.Benchmark)
    public static class Cost {

        private @Nullable Allocation before;

        private double serverBefore;

        @Setup(Level.Iteration)
        public void begin(Client client) {
            this.serverBefore = serverSeconds(client);
            this.before = Allocation.now();
        }

        @TearDown(Level.Iteration)
        public void end(Client client) {
            Allocation then = Objects.requireNonNull(this.before);
            Allocation now = Allocation.now();
            double server = serverSeconds(client) - this.serverBefore;
            CostProfiler.counted(now.since(then, true), now.since(then, false), server);
        }

        private static double serverSeconds(Client client) {
            try (RedisCli cli = RedisCli.connect(client.port)) {
                return ServerTime.cpuSeconds(cli);
            }
        }
    }

    @Benchmark
    public void pair(Client client, Keys keys, Cost cost) {
        client.opened().pair(keys.next());
    }
}

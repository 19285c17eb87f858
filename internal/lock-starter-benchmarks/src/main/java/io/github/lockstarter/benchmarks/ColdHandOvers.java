package io.github.lockstarter.benchmarks;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.benchmarks.client.RegistryClient;
import io.github.lockstarter.benchmarks.contention.Pause;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.ReleaseMode;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The first hand-overs between two JVMs that have just started, with and without a warm-up and with the first compiler
 * alone. Each JVM has one thread that wants the same lock all the time, with 1 ms parked under it. A hand-over lasts
 * from the end of a body to the beginning of the next one in the other JVM. The variants run in turn.
 */
public final class ColdHandOvers {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final int BODIES = 200;

    private static final int WARM_UP = 300;

    private static final String ALL_COMPILERS = "-XX:TieredStopAtLevel=4";

    private static final String C1 = "-XX:TieredStopAtLevel=1";

    /** What is compared: the compilers of the JVM, and the number of hand-overs of the warm-up. */
    private enum Variant {
        COLD(ALL_COMPILERS, 0),
        WARMED_UP(ALL_COMPILERS, WARM_UP),
        C1_ALONE(C1, 0),
        C1_WARMED_UP(C1, WARM_UP);

        final String option;

        final int warmUp;

        Variant(String option, int warmUp) {
            this.option = option;
            this.warmUp = warmUp;
        }
    }

    /** One hand-over: when the body began, and the nanoseconds from the end of the body before. */
    private record HandOver(long at, long nanos) {}

    private ColdHandOvers() {}

    /**
     * Prints a line for each variant and round, with the medians of parts of the hand-overs.
     *
     * @param arguments number of rounds
     */
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        System.out.println("p50 in µs of the hand-overs 1 to 30, 31 to 100, 101 to 300 and later ones");
        try (RedisServer redis = RedisServer.start()) {
            for (int round = 0; round < rounds; round++) {
                for (Variant variant : Variant.values()) {
                    List<HandOver> all = measure(redis.port(), variant);
                    System.out.printf(
                            "%-13s %6d %6d %6d %6d%n",
                            variant,
                            median(all, 0, 30),
                            median(all, 30, 100),
                            median(all, 100, 300),
                            median(all, 300, all.size()));
                }
            }
        }
    }

    private static List<HandOver> measure(int port, Variant variant) throws Exception {
        Path shared = Files.createTempFile("cold", ".bin");
        Files.write(shared, new byte[2 * Long.BYTES]);
        List<WorkerJvm> workers = new ArrayList<>();
        try {
            for (int i = 0; i < 2; i++) {
                workers.add(WorkerJvm.start(
                        List.of(variant.option),
                        Worker.class,
                        Integer.toString(port),
                        shared.toString(),
                        Integer.toString(i + 1),
                        Integer.toString(variant.warmUp)));
            }
            for (WorkerJvm worker : workers) {
                String unused = worker.awaitLine(Worker.READY::equals, LIMIT);
            }
            workers.forEach(worker -> worker.send("go"));
            List<HandOver> all = new ArrayList<>();
            for (WorkerJvm worker : workers) {
                String line = worker.awaitLine(each -> each.startsWith(Worker.DONE), LIMIT);
                Stream.of(line.substring(Worker.DONE.length()).split(" "))
                        .filter(each -> !each.isEmpty())
                        .map(each -> each.split(":"))
                        .forEach(each -> all.add(new HandOver(Long.parseLong(each[0]), Long.parseLong(each[1]))));
            }
            all.sort((one, other) -> Long.compare(one.at, other.at));
            return all;
        } finally {
            workers.forEach(WorkerJvm::close);
            Files.delete(shared);
        }
    }

    private static long median(List<HandOver> all, int from, int to) {
        long[] sorted = all.subList(Math.min(from, all.size()), Math.min(to, all.size())).stream()
                .mapToLong(HandOver::nanos)
                .sorted()
                .toArray();
        return sorted.length > 0 ? TimeUnit.NANOSECONDS.toMicros(sorted[sorted.length / 2]) : 0;
    }

    /** One of the two JVMs. The end of the last body and its JVM are in memory that both share. */
    static final class Worker {

        static final String READY = "ready";

        static final String DONE = "done ";

        private Worker() {}

        public static void main(String[] arguments) throws Exception {
            ByteBuffer last = map(Path.of(arguments[1]));
            long own = Long.parseLong(arguments[2]);
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            try (RegistryClient client = new RegistryClient(Integer.parseInt(arguments[0]), ReleaseMode.AWAIT)) {
                int warmUp = Integer.parseInt(arguments[3]);
                int done = ((LeasingLockRegistry) client.registry()).warmUp(warmUp, Duration.ofMillis(10));
                if (done < warmUp) {
                    throw new IllegalStateException("Only " + done + " hand-overs of the warm-up");
                }
                System.out.println(READY);
                String unused = input.readLine();
                System.out.println(DONE + handOvers(client.registry().getLock("cold"), last, own));
            }
            Runtime.getRuntime().halt(0);
        }

        private static String handOvers(LeaseLock lock, ByteBuffer last, long own) {
            long[] found = new long[2 * BODIES];
            int count = 0;
            for (int i = 0; i < BODIES; i++) {
                lock.lock();
                try {
                    long now = System.nanoTime();
                    long former = last.getLong(Long.BYTES);
                    if (former != 0 && former != own) {
                        found[count++] = now;
                        found[count++] = now - last.getLong(0);
                    }
                    Pause.until(now + TimeUnit.MILLISECONDS.toNanos(1));
                    last.putLong(Long.BYTES, own);
                    last.putLong(0, System.nanoTime());
                } finally {
                    lock.unlock();
                }
            }
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < count; i += 2) {
                text.append(found[i]).append(':').append(found[i + 1]).append(' ');
            }
            return text.toString();
        }

        private static ByteBuffer map(Path file) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 * Long.BYTES);
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
    }
}

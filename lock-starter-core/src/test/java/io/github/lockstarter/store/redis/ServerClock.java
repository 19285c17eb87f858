package io.github.lockstarter.store.redis;

import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.redisbinary.RedisBinary;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.opentest4j.TestAbortedException;

/**
 * A Redis whose wall clock stands still until the test sets it, so that the test determines the time of each command to the
 * microsecond. This needs Linux on x86-64 and a C compiler.
 */
final class ServerClock implements AutoCloseable {

    private static final String SOURCE = "server-clock.c";

    private static final String NAMED_SERVER = "lock.test.redis.bin";

    private static final String KIND_OF_SERVER = "lock.test.redis";

    private static final long MILLION = 1_000_000;

    private final RedisServer server;

    /** Microseconds since 1970. */
    private final MappedByteBuffer clock;

    private ServerClock(RedisServer server, MappedByteBuffer clock) {
        this.server = server;
        this.clock = clock;
    }

    /** Starts a server, whose files are in that directory. Aborts the test where that is not possible. */
    static ServerClock start(Path directory) throws IOException {
        MappedByteBuffer clock = map(directory.resolve("clock"));
        RedisBinary binary =
                RedisBinary.installed().or(RedisBinary::embedded).orElseThrow(() -> aborted("there is no server"));
        compile(directory);
        Path script = directory.resolve("redis-server");
        Files.writeString(
                script,
                "#!/bin/sh\nexec env LC_ALL=C '%s' '%s' '%s' \"$@\"\n"
                        .formatted(directory.resolve("server-clock"), directory.resolve("clock"), binary.path()));
        if (!script.toFile().setExecutable(true)) {
            throw new IOException("Cannot make " + script + " executable");
        }
        ServerClock started;
        try {
            started = new ServerClock(startAs(script), clock);
        } catch (IllegalStateException ex) {
            throw aborted("the server did not start: " + ex.getMessage());
        }
        if (!started.follows()) {
            started.close();
            throw aborted("the server's clock was not replaced");
        }
        return started;
    }

    private static TestAbortedException aborted(String obstacle) {
        Remarks.say("The scripts are not compared with the model: " + obstacle);
        return new TestAbortedException(obstacle);
    }

    private static MappedByteBuffer map(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
            mapped.order(ByteOrder.nativeOrder()).putLong(0, 0);
            return mapped;
        }
    }

    private static void compile(Path directory) throws IOException {
        Path source = directory.resolve(SOURCE);
        try (InputStream in = ServerClock.class.getResourceAsStream(SOURCE)) {
            Files.copy(Objects.requireNonNull(in), source);
        }
        ProcessBuilder compiler = new ProcessBuilder(
                        "cc",
                        "-O1",
                        "-fno-stack-protector",
                        "-o",
                        directory.resolve("server-clock").toString(),
                        source.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("compiler.log").toFile());
        try {
            if (compiler.start().waitFor() != 0) {
                throw aborted(
                        "the C compiler cannot make the clock: " + Files.readString(directory.resolve("compiler.log")));
            }
        } catch (IOException ex) {
            throw aborted("there is no C compiler: " + ex.getMessage());
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }

    /** Starts the server that the system properties name during this call. */
    private static RedisServer startAs(Path program) {
        Map<String, Optional<String>> before = Map.of(
                NAMED_SERVER, Optional.ofNullable(System.getProperty(NAMED_SERVER)),
                KIND_OF_SERVER, Optional.ofNullable(System.getProperty(KIND_OF_SERVER)));
        System.setProperty(NAMED_SERVER, program.toString());
        System.setProperty(KIND_OF_SERVER, "local");
        try {
            return RedisServer.start();
        } finally {
            before.forEach((name, value) ->
                    value.ifPresentOrElse(text -> System.setProperty(name, text), () -> System.clearProperty(name)));
        }
    }

    /** Some servers read the clock once a millisecond, and add what a counter of the processor shows. */
    private boolean follows() {
        try (RedisCli redis = this.server.cli()) {
            boolean follows = true;
            for (long micros = 1_700_000_000_000_001L; micros < 1_700_000_000_000_050L; micros++) {
                set(micros);
                follows &= timeIn(redis.command("TIME")) == micros
                        && timeIn(redis.command("EVAL", "return redis.call('TIME')", "0")) == micros;
            }
            return follows;
        }
    }

    /** Returns the microseconds of a reply to {@code TIME}. */
    static long timeIn(Object reply) {
        List<?> parts = (List<?>) Objects.requireNonNull(reply);
        return Long.parseLong((String) parts.get(0)) * MILLION + Long.parseLong((String) parts.get(1));
    }

    RedisServer server() {
        return this.server;
    }

    /** Sets the time to these microseconds since 1970. */
    void set(long micros) {
        this.clock.putLong(0, micros);
    }

    @Override
    public void close() {
        this.server.close();
    }
}

package io.github.lockstarter.store.redis;

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

/**
 * A Redis whose wall clock stands still until the test sets it, so that the test determines the time of each command to the
 * microsecond. This needs Linux on x86-64 and a C compiler; without them, it is a Redis in real time.
 */
final class ServerClock implements AutoCloseable {

    private static final String SOURCE = "server-clock.c";

    private static final String NAMED_SERVER = "lock.test.redis.bin";

    private static final String KIND_OF_SERVER = "lock.test.redis";

    private static final long MILLION = 1_000_000;

    private final RedisServer server;

    /** Microseconds since 1970; 0: the real time. */
    private final MappedByteBuffer clock;

    private final String obstacle;

    private ServerClock(RedisServer server, MappedByteBuffer clock, String obstacle) {
        this.server = server;
        this.clock = clock;
        this.obstacle = obstacle;
    }

    /** Starts a server, whose files are in that directory. */
    static ServerClock start(Path directory) throws IOException {
        MappedByteBuffer clock = map(directory.resolve("clock"));
        Optional<RedisBinary> binary = RedisBinary.installed().or(RedisBinary::embedded);
        String obstacle = binary.isEmpty() ? "the server does not run on this system" : compile(directory);
        if (!obstacle.isEmpty()) {
            return new ServerClock(RedisServer.start(), clock, obstacle);
        }
        Path script = directory.resolve("redis-server");
        Files.writeString(
                script,
                "#!/bin/sh\nexec env LC_ALL=C '%s' '%s' '%s' \"$@\"\n"
                        .formatted(
                                directory.resolve("server-clock"),
                                directory.resolve("clock"),
                                binary.get().path()));
        if (!script.toFile().setExecutable(true)) {
            throw new IOException("Cannot make " + script + " executable");
        }
        RedisServer server;
        try {
            server = startAs(script);
        } catch (IllegalStateException ex) {
            return new ServerClock(RedisServer.start(), clock, "the server did not start: " + ex.getMessage());
        }
        ServerClock started = new ServerClock(server, clock, "");
        if (started.follows()) {
            return started;
        }
        server.close();
        return new ServerClock(RedisServer.start(), clock, "the server's clock was not replaced");
    }

    private static MappedByteBuffer map(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
            mapped.order(ByteOrder.nativeOrder()).putLong(0, 0);
            return mapped;
        }
    }

    /** Returns why there is no program; empty if there is. */
    private static String compile(Path directory) throws IOException {
        Path source = directory.resolve(SOURCE);
        try (InputStream in = ServerClock.class.getResourceAsStream(SOURCE)) {
            Files.copy(Objects.requireNonNull(in), source);
        }
        Process compiler;
        try {
            compiler = new ProcessBuilder(
                            "cc",
                            "-O1",
                            "-fno-stack-protector",
                            "-o",
                            directory.resolve("server-clock").toString(),
                            source.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("compiler.log").toFile())
                    .start();
        } catch (IOException ex) {
            return "there is no C compiler: " + ex.getMessage();
        }
        try {
            return compiler.waitFor() == 0
                    ? ""
                    : "the C compiler cannot make the clock: " + Files.readString(directory.resolve("compiler.log"));
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

    /** Returns why the time of the server is the real one; empty if the test sets it. */
    String obstacle() {
        return this.obstacle;
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

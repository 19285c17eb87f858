package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;

import io.github.lockstarter.testsupport.RedisCli;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A Redis whose clock can be set, by a small library that is compiled here and loaded before all others. That needs a C
 * compiler and a redis-server of this system that is linked dynamically; the one of the tests' dependency is not.
 */
final class ShiftedRedis implements AutoCloseable {

    /** Why there is none on this machine. */
    static final class MissingException extends Exception {

        private static final long serialVersionUID = 1;

        MissingException(String message) {
            super(message);
        }
    }

    private final Process process;

    private final int port;

    private final MappedByteBuffer shift;

    private ShiftedRedis(Process process, int port, MappedByteBuffer shift) {
        this.process = process;
        // should this JVM be ended before
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "redis-at-exit"));
        this.port = port;
        this.shift = shift;
    }

    /** Starts one, with all its files in that directory. */
    static ShiftedRedis start(Path directory) throws MissingException {
        Path server = server().orElseThrow(() -> new MissingException(
                "no redis-server on the PATH, none named by -Dlock.test.redis.bin or REDIS_SERVER_BIN"));
        Path compiler = Stream.of("cc", "gcc", "clang")
                .map(ShiftedRedis::onThePath)
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow(() -> new MissingException("no C compiler on the PATH"));
        try {
            Path library = compile(compiler, directory);
            ShiftedRedis redis = launch(server, library, directory);
            redis.awaitAnswer();
            redis.ensureShiftable();
            return redis;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static Optional<Path> server() {
        String named = System.getProperty("lock.test.redis.bin", System.getenv("REDIS_SERVER_BIN"));
        return named != null && !named.isBlank() ? Optional.of(Path.of(named)) : onThePath("redis-server");
    }

    private static Optional<Path> onThePath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Path compile(Path compiler, Path directory) throws IOException, MissingException {
        Path source = directory.resolve("clock-shift.c");
        Path library = directory.resolve("clock-shift.so");
        try (InputStream in = ShiftedRedis.class.getResourceAsStream("clock-shift.c")) {
            Files.copy(Objects.requireNonNull(in), source);
        }
        Process process = new ProcessBuilder(
                        compiler.toString(), "-shared", "-fPIC", "-O1", "-o", library.toString(), source.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("compiler.log").toFile())
                .start();
        if (awaitExit(process) != 0) {
            throw new MissingException("a C compiler that cannot make the library: "
                    + Files.readString(directory.resolve("compiler.log")));
        }
        return library;
    }

    private static ShiftedRedis launch(Path server, Path library, Path directory) throws IOException {
        Path shift = directory.resolve("shift");
        MappedByteBuffer mapped;
        try (FileChannel file =
                FileChannel.open(shift, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            mapped = file.map(MapMode.READ_WRITE, 0, Long.BYTES);
        }
        mapped.order(ByteOrder.nativeOrder()).putLong(0, 0);
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        List<String> line = List.of(
                server.toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--dir",
                directory.toString());
        ProcessBuilder builder = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("redis.log").toFile());
        builder.environment().put("LD_PRELOAD", library.toString());
        builder.environment().put("CLOCK_SHIFT", shift.toString());
        return new ShiftedRedis(builder.start(), port, mapped);
    }

    private void awaitAnswer() {
        soon().ignoreExceptions().until(() -> {
            try (RedisCli redis = cli()) {
                return "PONG".equals(redis.command("PING"));
            }
        });
    }

    /** A statically linked server takes no notice of the library, and Valkey 9 reads the clock once a millisecond. */
    private void ensureShiftable() throws MissingException {
        shift(Duration.ofHours(1));
        try {
            within(Duration.ofSeconds(1)).until(() -> seconds() > System.currentTimeMillis() / 1000 + 1800);
        } catch (ConditionTimeoutException ex) {
            close();
            throw new MissingException("only a redis-server that is linked statically");
        }
        shift(Duration.ZERO);
    }

    private long seconds() {
        try (RedisCli redis = cli()) {
            List<?> time = (List<?>) Objects.requireNonNull(redis.command("TIME"));
            return Long.parseLong((String) time.get(0));
        }
    }

    int port() {
        return this.port;
    }

    RedisCli cli() {
        return RedisCli.connect(this.port);
    }

    /** Sets its clock, to that time before or after the real one. */
    void shift(Duration time) {
        this.shift.putLong(0, TimeUnit.NANOSECONDS.toMicros(time.toNanos()));
    }

    @Override
    public void close() {
        this.process.destroyForcibly();
        awaitExit(this.process);
    }

    private static int awaitExit(Process process) {
        try {
            return process.waitFor();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }
}
